"""A bridge for LeRobot's robots: python lerobot_bridge.py so101_follower /dev/ttyACM0 (docs/guide/bridge.md)."""

import asyncio
import json
import math
import struct
import sys
import time

import numpy as np
from websockets.asyncio.server import serve

RATE, WATCHDOG = 20, 0.5


class Bridge:
    def __init__(self, robot, limits=None):
        """limits: least and greatest radians of each joint; the robot itself speaks degrees (use_degrees=True)."""
        self.robot, self.taken = robot, asyncio.Lock()
        self.joints = [
            k for k in robot.action_features if k.endswith(".pos") and k != "gripper.pos"
        ]
        self.limits = limits or [[-math.pi / 2, math.pi / 2]] * len(self.joints)
        self.cameras = {k: s for k, s in robot.observation_features.items() if isinstance(s, tuple)}
        self.running, self.step, self.action, self.halted = False, 0, None, None

    async def halt(self, ws, by, reason, stop=None, silent=0.0):
        self.running, self.action = False, None
        said = {
            "by": by,
            "id": stop,
            "reason": reason,
            "step": self.step,
            "silent_ms": round(1000 * silent),
        }
        self.halted = said
        await ws.send(
            json.dumps({"type": "halted"} | {k: v for k, v in said.items() if v is not None})
        )

    async def show(self, ws):
        seen = await asyncio.to_thread(self.robot.get_observation)
        fields = {
            "joint_position": [math.radians(seen[k]) for k in self.joints],
            "gripper_opening": [seen["gripper.pos"] / 100],
        }
        pictures = [{"camera": k, "width": s[1], "height": s[0]} for k, s in self.cameras.items()]
        head = json.dumps(
            {"step": self.step, "running": self.running, "fields": fields, "pictures": pictures}
        ).encode()
        await ws.send(
            b"".join(
                [
                    struct.pack("<I", len(head)),
                    head,
                    *(np.asarray(seen[k], np.uint8).tobytes() for k in self.cameras),
                ]
            )
        )

    async def move(self, ws):
        while True:
            begun, silent = time.monotonic(), time.monotonic() - self.heard
            if self.running and silent > WATCHDOG:
                await self.halt(ws, "watchdog", "nothing was heard", silent=silent)
            if self.running and self.action:
                *joints, gripper = self.action
                cut = [
                    min(max(q, low), high)
                    for q, (low, high) in zip(joints, self.limits, strict=True)
                ]
                target = dict(zip(self.joints, map(math.degrees, cut), strict=True)) | {
                    "gripper.pos": 50 * (1 - gripper)
                }
                await asyncio.to_thread(self.robot.send_action, target)
            await self.show(ws)
            self.step += self.running
            await asyncio.sleep(max(0, begun + 1 / RATE - time.monotonic()))

    async def meet(self, ws):
        if self.taken.locked():
            return await ws.send(
                json.dumps({"type": "error", "code": "busy", "message": "another console drives"})
            )
        async with self.taken:
            action = {
                "form": "joint-position",
                "gripper": "close-positive",
                "units": "metric",
                "dims": len(self.joints) + 1,
            }
            limb = {"name": "arm", "joints": len(self.joints), "limits": self.limits}
            cameras = [{"name": k, "width": s[1], "height": s[0]} for k, s in self.cameras.items()]
            hello = {
                "type": "hello",
                "protocol": "longarm-bridge",
                "version": 1,
                "name": "lerobot_bridge.py",
                "robot": self.robot.name,
            }
            hello |= {
                "rate": RATE,
                "watchdog_ms": int(1000 * WATCHDOG),
                "limbs": [limb],
                "action": action,
                "cameras": cameras,
            }
            await ws.send(
                json.dumps(
                    hello | ({"halted": self.halted, "step": self.step} if self.halted else {})
                )
            )
            self.heard, moving = time.monotonic(), asyncio.create_task(self.move(ws))
            try:
                async for text in ws:
                    self.heard, said = time.monotonic(), json.loads(text)
                    await self.obey(ws, said.pop("type"), said)
            finally:
                moving.cancel()
                if self.running:
                    self.running, self.halted = (
                        False,
                        {"by": "watchdog", "reason": "the connection ended", "step": self.step},
                    )

    async def obey(self, ws, what, said):
        if what == "stop":
            await self.halt(ws, "stop", said["reason"], stop=said["id"])
        elif what == "begin":
            self.running, self.step, self.halted = False, 0, None
            await ws.send(json.dumps({"type": "ready"}))
        elif what == "go":
            self.running = True
        elif what == "action" and self.running and len(said["values"]) == len(self.joints) + 1:
            self.action = said["values"]
        elif what == "action":
            await ws.send(
                json.dumps(
                    {
                        "type": "error",
                        "code": "bad-action" if self.running else "not-running",
                        "message": what,
                    }
                )
            )
        elif what == "end":
            self.running = False
            await ws.send(json.dumps({"type": "ended"}))


async def main(robot, host="127.0.0.1", port=8765, limits=None):
    robot.connect()
    async with serve(Bridge(robot, limits).meet, host, port, origins=[None]) as server:
        print(
            f"bridge to {robot.name} on ws://{host}:{server.sockets[0].getsockname()[1]}",
            flush=True,
        )
        await server.serve_forever()


if __name__ == "__main__":
    from lerobot.robots import make_robot_from_config, so_follower

    config = so_follower.SO101FollowerConfig(port=sys.argv[2], use_degrees=True)
    asyncio.run(main(make_robot_from_config(config)))
