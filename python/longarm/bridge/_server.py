"""What serves it."""

from __future__ import annotations

import contextlib
import json
import logging
import math
import queue
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _websocket
from .._wire import WireError
from ._arm import Arm, BridgeError, ranges

if TYPE_CHECKING:
    from typing_extensions import Self

LOG = logging.getLogger("longarm")

PROTOCOL, VERSION = "longarm-bridge", 1
STILL = 0.2
"""Seconds between two observations while nothing moves."""
GREETING = 5.0
"""Seconds that a stranger may take to shake hands."""
SLOWEST = 0.5
"""Seconds after which a console that takes nothing more is let go."""
BEGIN = {"task": str, "seed": int, "instruction": str}
"""Fields that ``begin`` cannot do without. A stop needs none."""


class Bridge:
    """An arm served to a console until it is closed. See :func:`serve_bridge`."""

    def __init__(self, arm: Arm, *, host: str = "127.0.0.1", port: int = 8765):
        self.arm = arm
        self._low, self._high = ranges(arm)
        try:
            self._server = _Server((host, port), _Console)
        except OSError as e:
            raise BridgeError(f"cannot listen on {host}:{port}: {e.strerror}") from e
        self._server.owner = self
        self._taken = threading.Lock()
        self._orders: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._closed = False
        self._console: _Console | None = None
        self._heard = time.monotonic()
        # Cleared by whoever hears a stop, before anything else is done.
        self._running = threading.Event()
        self._gone = False
        self._action: list[float] | None = None
        self._step = 0
        self._episode: tuple[str, int] | None = None
        self._halted: dict[str, Any] | None = None
        self._threads: list[threading.Thread] = []

    @property
    def port(self) -> int:
        """The port, also when 0 was asked for and the system chose."""
        return self._server.server_address[1]

    def hello(self) -> dict[str, Any]:
        """What the bridge says first."""
        arm, joints = self.arm, self.arm.form.startswith("joint")
        action = {
            "form": arm.form,
            "frame": "world",
            "rotation": "none" if joints else "axis-angle",
            "gripper": "close-positive" if arm.gripper else "none",
            "units": "metric" if arm.form == "joint-position" else "normalized",
            "scale": arm.scale and list(arm.scale),
            "dims": len(self._low),
        }
        said = {
            "protocol": PROTOCOL,
            "version": VERSION,
            "name": "longarm.bridge",
            "robot": arm.name,
            "rate": arm.rate,
            "watchdog_ms": round(1000 * arm.watchdog),
            "action": {k: v for k, v in action.items() if v is not None},
            "limbs": [
                {"name": b.name, "joints": len(b.limits), "limits": [list(q) for q in b.limits]}
                for b in arm.limbs
            ],
            "cameras": [{"name": k, "height": h, "width": w} for k, (h, w) in arm.cameras.items()],
            "tasks": list(arm.tasks),
            "step": self._step,
        }
        return said | {k: v for k, v in (("episode", self._episode), ("halted", self._halted)) if v}

    def serve(self) -> None:
        """Serves until interrupted."""
        self.start()
        try:
            for thread in self._threads:
                thread.join()
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def start(self) -> Bridge:
        """Serves in threads of its own."""
        for run in (self._server.serve_forever, self._drive):
            thread = threading.Thread(target=run, daemon=True)
            thread.start()
            self._threads.append(thread)
        return self

    def close(self) -> None:
        """Halts the arm if it moves, and stops serving."""
        if self._threads:
            self._server.shutdown()
            self._closed = True
            self._orders.put(lambda: None)
            for thread in self._threads:
                thread.join()
            self._threads.clear()
        self._server.server_close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # The thread of the arm: it alone talks to the arm, and to the console that drives.

    def _drive(self) -> None:
        period = 1 / self.arm.rate
        tick = shown = time.monotonic()
        while not self._closed:
            until = tick
            if self._running.is_set():
                until = min(until, self._heard + self.arm.watchdog)
            try:
                self._orders.get(timeout=max(0.0, until - time.monotonic()))()
            except queue.Empty:
                pass
            except Exception as e:
                self._fault(e)
            now = time.monotonic()
            silent = now - self._heard
            if self._running.is_set() and silent >= self.arm.watchdog:
                self._halt("watchdog", f"nothing was heard for {round(1000 * silent)} ms")
            if now < tick:
                continue
            # A step that took too long is not made up for.
            tick = max(tick + period, now)
            try:
                moved = self._move()
                if moved or now - shown >= STILL:
                    self._show()
                    shown = now
            except Exception as e:
                self._fault(e)
                tick = time.monotonic() + 1
        if self._running.is_set():
            self._halt("bridge", "the bridge is closed")

    def _move(self) -> bool:
        """A control step; without an action the arm keeps to what it was told last."""
        if not self._running.is_set():
            return False
        values, self._action = self._action, None
        if values is not None:
            self.arm.act(values)
        self._step += 1
        return True

    def _show(self) -> None:
        if self._console is None:
            return
        fields, pictures = self.arm.observe()
        parts = []
        for name, (height, width) in self.arm.cameras.items():
            picture = np.ascontiguousarray(pictures[name])
            if picture.shape != (height, width, 3) or picture.dtype != np.uint8:
                what = f"{picture.dtype} of shape {picture.shape}"
                raise ValueError(
                    f"camera {name} showed {what}, and not uint8 of ({height}, {width}, 3)"
                )
            parts.append(picture.tobytes())
        head = {
            "step": self._step,
            "running": self._running.is_set(),
            "fields": {k: [float(x) for x in v] for k, v in fields.items()},
            "pictures": [
                {"camera": k, "width": w, "height": h} for k, (h, w) in self.arm.cameras.items()
            ],
        }
        text = json.dumps(head).encode()
        data = b"".join((struct.pack("<I", len(text)), text, *parts))
        self._send(_websocket.BINARY, data)

    def _halt(self, by: str, reason: str, stop: int | None = None) -> None:
        moved = self._gone
        self._still()
        silent = round(1000 * (time.monotonic() - self._heard))
        said: dict[str, Any] = {"by": by, "reason": reason, "step": self._step, "silent_ms": silent}
        if stop is not None:
            said["id"] = stop
        try:
            self.arm.halt()
        except Exception as e:
            LOG.exception("the arm could not be halted")
            said["reason"] += f" (the arm could not be halted: {e})"
        if moved:
            self._halted = said
            LOG.warning("halted by %s at step %d: %s", by, self._step, said["reason"])
        self._say("halted", said)

    def _still(self) -> None:
        self._running.clear()
        self._gone, self._action = False, None

    def _fault(self, error: Exception) -> None:
        LOG.error("the arm: %s", error, exc_info=error)
        if self._running.is_set():
            self._halt("bridge", f"{type(error).__name__}: {error}")
        else:
            self._refuse("fault", f"{type(error).__name__}: {error}")

    def _obey(self, what: str, said: dict[str, Any]) -> None:
        if what == "stop":
            self._halt("stop", str(said.get("reason", "")), said.get("id"))
        elif what == "begin":
            self._begin(said)
        elif what == "go" and self._episode is None:
            self._refuse("no-episode", "begin comes before go")
        elif what == "go":
            self._gone, self._action, self._halted = True, None, None
            self._running.set()
            self._show()
        elif what == "action":
            self._take(said.get("values"))
        elif what == "end":
            self._still()
            note = self.arm.end()
            self._episode, self._halted = None, None
            self._say("ended", {"note": note})
        elif what != "alive":
            self._refuse("bad-message", f"{what!r} means nothing here")

    def _begin(self, said: dict[str, Any]) -> None:
        self._still()
        task = said["task"]
        if self.arm.tasks and task not in self.arm.tasks:
            self._refuse("unknown-task", f"this bridge has {', '.join(self.arm.tasks)}, not {task}")
            return
        self.arm.begin(task, said["seed"], said["instruction"])
        self._step, self._halted = 0, None
        self._episode = (task, said["seed"])
        self._say("ready", {})
        self._show()

    def _take(self, values: Any) -> None:
        if not self._running.is_set():
            # Before a stop that is still to be answered, they are only too late.
            if not self._gone:
                self._refuse("not-running", "the arm is halted; go comes before actions")
            return
        n = len(self._low)
        if (
            not isinstance(values, list)
            or len(values) != n
            or not all(isinstance(v, (int, float)) and math.isfinite(v) for v in values)
        ):
            self._refuse("bad-action", f"an action is {n} finite numbers, not {values!r:.80}")
            return
        cut = zip(values, self._low, self._high, strict=True)
        self._action = [min(max(float(v), low), high) for v, low, high in cut]

    def _come(self, console: _Console) -> None:
        self._console = console
        LOG.info("a console has come")
        self._say("hello", self.hello())
        self._show()

    def _lost(self, console: _Console) -> None:
        if self._console is console:
            self._console = None
            if self._running.is_set():
                self._halt("watchdog", "the connection ended")

    def _refuse(self, code: str, message: str) -> None:
        self._say("error", {"code": code, "message": message})

    def _say(self, kind: str, said: dict[str, Any]) -> None:
        self._send(_websocket.TEXT, json.dumps({"type": kind} | said).encode())

    def _send(self, kind: int, data: bytes) -> None:
        if self._console is None:
            return
        try:
            self._console.send(kind, data)
        except OSError:
            # One that takes nothing more is not there; the thread that reads finds that out.
            self._console.hang_up()


def serve_bridge(arm: Arm, *, host: str = "127.0.0.1", port: int = 8765) -> None:
    """Serves an arm to an operator console (``longarm console --bridge ws://HOST:PORT``) until interrupted. No
    password is asked for: listen on this machine, or in a network that is the arm's alone."""
    bridge = Bridge(arm, host=host, port=port)
    print(f"bridge to {arm.name} on ws://{host}:{bridge.port}", flush=True)
    bridge.serve()


class _Server(_websocket.Server):
    owner: Bridge


class _Console(_websocket.Connection):
    """A console's connection: it reads, and leaves the rest to the thread of the arm."""

    server: _Server
    timeout = GREETING
    longest = 1 << 20

    def refusal(self, headers: dict[str, str]) -> str | None:
        # A page of some site must not drive the arm of whoever looks at it.
        return "403 Forbidden" if "origin" in headers else None

    def handle(self) -> None:
        bridge = self.server.owner
        try:
            if not self.greet():
                return
            if not bridge._taken.acquire(blocking=False):
                said = {"type": "error", "code": "busy", "message": "another console drives"}
                self.send(_websocket.TEXT, json.dumps(said).encode())
                return self.send(_websocket.CLOSE, b"")
        except (EOFError, OSError, WireError):
            return None  # Never was one.
        try:
            self.connection.settimeout(None)
            limit = struct.pack("ll", int(SLOWEST), int(SLOWEST % 1 * 1e6))
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
            bridge._heard = time.monotonic()
            bridge._orders.put(lambda: bridge._come(self))
            while (message := self.message()) is not None:
                bridge._heard = time.monotonic()
                self._hear(bridge, *message)
        except (EOFError, OSError, WireError):
            pass  # It is gone.
        finally:
            bridge._orders.put(lambda: bridge._lost(self))
            bridge._taken.release()

    def _hear(self, bridge: Bridge, kind: int, data: bytes) -> None:
        try:
            said = json.loads(data) if kind == _websocket.TEXT else None
            if not isinstance(said, dict) or not isinstance(what := said.pop("type", None), str):
                raise ValueError("consoles speak in text messages, JSON objects with a type")
            for name, kind_of in BEGIN.items() if what == "begin" else ():
                if not isinstance(said.get(name), kind_of):
                    raise ValueError(f"begin has no {name} ({kind_of.__name__})")
        except (ValueError, RecursionError) as e:
            why = str(e)
            bridge._orders.put(lambda: bridge._refuse("bad-message", why))
            return
        if what == "stop":
            # Nothing that is still to be done moves the arm.
            bridge._running.clear()
        bridge._orders.put(lambda: bridge._obey(what, said))

    def hang_up(self) -> None:
        """End the connection; whoever reads from it wakes."""
        with contextlib.suppress(OSError):  # It may have ended.
            self.connection.shutdown(socket.SHUT_RDWR)
