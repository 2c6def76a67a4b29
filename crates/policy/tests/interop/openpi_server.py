"""An openpi server written only against openpi-client's public modules and its documented order of
messages. Its answer depends on every part of the observation, so that a wrong byte shows.

Prints its port, then serves until killed.
"""

import asyncio
import sys

import numpy as np
import websockets.asyncio.server as server
from openpi_client import base_policy, image_tools, msgpack_numpy


class Mirror(base_policy.BasePolicy):
    """Answers with what it saw."""

    def infer(self, obs):
        if obs["prompt"] == "fail":
            raise ValueError("told to fail")
        images = [obs["observation/image"], obs["observation/wrist_image"]]
        for image in images:
            assert image.shape == (224, 224, 3) and image.dtype == np.uint8, (image.shape, image.dtype)
        state = obs["observation/state"]
        assert state.shape == (8,) and state.dtype == np.float64, (state.shape, state.dtype)
        weights = np.arange(1, 224 * 224 * 3 + 1, dtype=np.float64)
        sums = [float(image.reshape(-1) @ weights / weights.sum() / 255) for image in images]
        actions = np.zeros((10, 7), np.float32 if obs["prompt"] == "float" else np.float64)
        actions[:, 0] = sums[0]
        actions[:, 1] = sums[1]
        actions[:, 2:6] = state[2:6]
        actions[:, 6] = np.arange(10) / 10
        return {"actions": actions, "state": state}

    def reset(self):
        pass


def expected():
    """The same numbers for the same picture, through the real image tools."""
    out, x = bytearray(), 12345
    for _ in range(256 * 256 * 3):
        x = (x * 1103515245 + 12345) % 2**31
        out.append(x >> 16 & 255)
    image = np.frombuffer(bytes(out), np.uint8).reshape(256, 256, 3)
    # robosuite's pictures are bottom row first; openpi gives them a half turn.
    robosuite = image[::-1]
    image = image_tools.resize_with_pad(np.ascontiguousarray(robosuite[::-1, ::-1]), 224, 224)
    weights = np.arange(1, image.size + 1, dtype=np.float64)
    return float(image.reshape(-1) @ weights / weights.sum() / 255)


async def handle(socket):
    packer = msgpack_numpy.Packer()
    await socket.send(packer.pack({"served_by": "interop", "expected": np.float64(expected())}))
    policy = Mirror()
    async for message in socket:
        try:
            action = policy.infer(msgpack_numpy.unpackb(message))
            action["server_timing"] = {"infer_ms": 0.25}
            await socket.send(packer.pack(action))
        except Exception:
            import traceback

            await socket.send(traceback.format_exc())
            await socket.close(code=1011, reason="Internal server error. Traceback included in previous frame.")
            return


async def main():
    async with server.serve(handle, "127.0.0.1", 0, compression=None, max_size=None) as s:
        print(s.sockets[0].getsockname()[1], f"{expected():.17g}", flush=True)
        await s.serve_forever()


sys.exit(asyncio.run(main()))
