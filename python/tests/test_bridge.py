"""An arm behind :mod:`longarm.bridge`, and a console that is nothing but a socket."""

import base64
import json
import os
import re
import socket
import struct
import time
from pathlib import Path

import numpy as np
import pytest

from longarm import bridge

ROOT = Path(__file__).parents[2]
WATCHDOG = 0.3
PICTURE = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)


class Arm(bridge.Arm):
    name = "test arm"
    limbs = (bridge.Limb("arm", [(-1.0, 1.0), (-2.0, 0.5)]),)
    cameras = {"top": (4, 6)}  # noqa: RUF012
    watchdog = WATCHDOG

    def __init__(self):
        self.joints, self.grip, self.halts, self.wrong, self.acted = [0.0, 0.0], 0.0, 0, None, []

    def observe(self):
        if self.wrong == "camera":
            raise OSError("the camera fell off")
        return {"joint_position": self.joints, "gripper_opening": [self.grip]}, {"top": PICTURE}

    def act(self, values):
        if self.wrong == "servo":
            raise RuntimeError("a servo is hot")
        self.acted.append(time.monotonic())
        *self.joints, self.grip = values

    def halt(self):
        self.halts += 1

    def begin(self, task, seed, instruction):
        self.joints = [0.0, 0.0]

    def end(self):
        return "well done"


class Console:
    def __init__(self, port, headers=""):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{headers}"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline() not in (b"\r\n", b""):
            pass
        self.seen = None

    def send(self, kind, data):
        mask = os.urandom(4)
        n = len(data)
        size = bytes([0x80 | n]) if n < 126 else b"\xfe" + struct.pack(">H", n)
        body = bytes(b ^ mask[i % 4] for i, b in enumerate(data))
        self.socket.sendall(bytes([0x80 | kind]) + size + mask + body)

    def say(self, what, **fields):
        self.send(1, json.dumps({"type": what, **fields}).encode())

    def read(self):
        """The next message: words, or what is seen."""
        first, n = self.file.read(2)
        if n > 125:
            n = int.from_bytes(self.file.read(2 if n == 126 else 8), "big")
        data = self.file.read(n)
        if first & 15 == 1:
            return json.loads(data)
        assert first & 15 == 2, first
        size = int.from_bytes(data[:4], "little")
        head = json.loads(data[4 : 4 + size])
        self.seen = head, data[4 + size :]
        return None

    def words(self, kind):
        while (said := self.read()) is None:
            pass
        assert said.pop("type") == kind, said
        return said

    def refused(self, code):
        said = self.words("error")
        assert said["code"] == code and said["message"], said

    def sees(self, holds):
        while self.read() is not None or not holds(self.seen[0]):
            pass
        return self.seen[0]

    def begin(self, **fields):
        self.say("begin", **{"task": "lab/any", "seed": 3, "instruction": "move"} | fields)


@pytest.fixture
def arm():
    return Arm()


@pytest.fixture
def served(arm):
    with bridge.Bridge(arm, port=0) as served:
        yield served


def driven(served):
    console = Console(served.port)
    assert console.words("hello")["robot"] == "test arm"
    console.begin()
    console.words("ready")
    console.say("go")
    console.sees(lambda s: s["running"])
    return console


def test_it_moves_when_told_and_halts_when_told(arm, served):
    console = Console(served.port)
    hello = console.words("hello")
    assert hello["protocol"] == "longarm-bridge" and hello["version"] == 1
    assert hello["action"] == {
        "form": "joint-position",
        "frame": "world",
        "rotation": "none",
        "gripper": "close-positive",
        "units": "metric",
        "dims": 3,
    }
    assert hello["limbs"] == [{"name": "arm", "joints": 2, "limits": [[-1, 1], [-2, 0.5]]}]
    assert hello["cameras"] == [{"name": "top", "width": 6, "height": 4}]
    console.say("go")
    console.refused("no-episode")
    console.say("action", step=0, values=[0, 0, 0])
    console.refused("not-running")
    console.begin()
    console.words("ready")
    console.say("go")
    console.sees(lambda s: s["running"])
    # Beyond its limits, cut.
    console.say("action", step=0, values=[0.25, 3.0, 1.0])
    seen = console.sees(lambda s: s["fields"]["gripper_opening"] == [1.0])
    assert seen["fields"]["joint_position"] == [0.25, 0.5] and seen["step"] > 0
    assert console.seen[1] == PICTURE.tobytes()
    # One action is acted once.
    console.say("alive")
    console.sees(lambda s: s["step"] > seen["step"] + 2)
    assert len(arm.acted) == 1
    for values in [[0, 0], [0, 0, 0, 0], [0, 0, "1"], [0, 0, None], None, {}, [0, 0, 1e999]]:
        console.say("action", step=1, values=values)
        console.refused("bad-action")
    console.say("stop", id=7, reason="tried")
    halted = console.words("halted")
    assert (halted["by"], halted["id"], halted["reason"]) == ("stop", 7, "tried")
    assert arm.halts == 1
    assert not console.sees(lambda s: True)["running"]
    # What stands still answers, too, and a stop without a number halts.
    console.say("stop", id=8)
    assert console.words("halted")["id"] == 8
    console.say("go")
    step = console.sees(lambda s: s["running"])["step"]
    assert step == halted["step"], "it goes on where it stood"
    console.say("stop")
    assert "id" not in console.words("halted")
    console.say("end")
    assert console.words("ended") == {"note": "well done"}


def test_a_stop_is_not_behind_what_was_said_before_it(arm, served):
    console = driven(served)
    for _ in range(50):
        console.say("action", step=0, values=[1.0, 0.0, 0.0])
    console.say("stop", id=1)
    said = time.monotonic()
    console.words("halted")
    print(f"halted after {1e3 * (time.monotonic() - said):.1f} ms")
    time.sleep(0.2)
    assert not any(t > said + 0.05 for t in arm.acted)


def test_silence_halts_it_and_the_next_console_learns_why(arm, served):
    console = driven(served)
    begun = time.monotonic()
    halted = console.words("halted")
    late = time.monotonic() - begun - WATCHDOG
    print(f"watchdog of {WATCHDOG} s: halted {1e3 * late:.0f} ms after it")
    assert halted["by"] == "watchdog" and halted["silent_ms"] >= 1000 * WATCHDOG
    # Gone in the middle.
    console.say("go")
    console.sees(lambda s: s["running"])
    console.socket.shutdown(socket.SHUT_RDWR)
    until = time.monotonic() + 20
    while (again := Console(served.port)).read().get("code") == "busy":
        assert time.monotonic() < until
    assert arm.halts == 2
    again.begin(seed=2**64 - 1)
    again.words("ready")
    hello = served.hello()
    assert hello["episode"] == ("lab/any", 2**64 - 1) and "halted" not in hello


@pytest.mark.parametrize(("wrong", "reason"), [("servo", "is hot"), ("camera", "fell off")])
def test_an_arm_that_breaks_is_halted(arm, served, wrong, reason):
    console = driven(served)
    arm.wrong = wrong
    console.say("action", step=0, values=[0, 0, 0])
    halted = console.words("halted")
    assert halted["by"] == "bridge" and reason in halted["reason"]
    arm.wrong = None
    console.say("go")
    console.sees(lambda s: s["running"])


def test_one_console_and_no_web_page(served):
    first = Console(served.port)
    first.words("hello")
    Console(served.port).refused("busy")
    assert Console(served.port, "Origin: https://elsewhere.example\r\n").status == 403
    # Nonsense is answered, and changes nothing.
    for kind, data in [
        (1, b"{"),
        (1, b"[]"),
        (1, b'{"type": 3}'),
        (1, b'{"type": "dance"}'),
        (1, b'{"type": "begin", "task": "lab/any"}'),
        (1, b"[" * 60000),
        (1, b"\xff\xfe"),
        (2, b"\0"),
    ]:
        first.send(kind, data)
        first.refused("bad-message")
    first.send(9, b"there?")
    while (byte := first.file.read(1)[0] & 15) != 10:  # A pong, between what is seen.
        n = first.file.read(1)[0]
        if n > 125:
            n = int.from_bytes(first.file.read(2 if n == 126 else 8), "big")
        assert byte == 2
        first.file.read(n)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"limbs": ()}, "has no limbs"),
        ({"form": "dance"}, "no form of actions"),
        ({"rate": 0}, "rate 0"),
        ({"watchdog": 60}, "watchdog 60"),
        ({"limbs": (bridge.Limb("arm", [(1.0, -1.0)]),)}, "pairs of least and greatest"),
    ],
)
def test_an_arm_that_cannot_be_is_refused(arm, change, says):
    for name, value in change.items():
        setattr(arm, name, value)
    with pytest.raises(bridge.BridgeError, match=says):
        bridge.Bridge(arm, port=0)


def test_the_bridge_of_the_guide():
    page = (ROOT / "docs/guide/bridge.md").read_text(encoding="utf-8")
    block = re.search(r"^```python title=my_bridge.py\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[
        1
    ]
    names = {"__name__": "my_bridge"}
    exec(block, names)
    with bridge.Bridge(names["Arm"](), port=0) as served:
        console = Console(served.port)
        assert console.words("hello")["action"]["dims"] == 4
        console.begin()
        console.words("ready")
        console.say("go")
        console.say("action", step=0, values=[0.1, 0.2, 0.3, 1.0])
        seen = console.sees(lambda s: s["fields"]["gripper_opening"] == [0.0])
        assert seen["fields"]["joint_position"] == [0.1, 0.2, 0.3]


def test_the_example_is_short():
    example = (ROOT / "python/examples/lerobot_bridge.py").read_text(encoding="utf-8")
    assert len(example.splitlines()) <= 60
