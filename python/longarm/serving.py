"""A Python policy as a server that speaks openpi's protocol."""

from __future__ import annotations

import socketserver
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _wire
from ._native import PolicyError

CONVENTIONS = {
    "action": {
        "form": "ee-delta",
        "frame": "world",
        "rotation": "axis-angle",
        "gripper": "close-positive",
        "units": "normalized",
        "dims": 7,
    },
    "observation": {"image": "rgb-hwc-u8"},
}
"""What our own end-effector actions are; sent at the handshake, so that clients can tell."""


class PolicyServer:
    """A policy served on a port of this machine until it is closed.

    >>> import longarm, numpy as np
    >>> with longarm.PolicyServer(lambda seen: np.zeros((1, 7)), port=0) as server:
    ...     results = longarm.evaluate(
    ...         f"openpi:127.0.0.1:{server.port}", "longbench/stack-block", episodes=1, max_steps=3)
    >>> results.rows[0]["outcome"]
    'task_failure'
    """

    def __init__(
        self,
        policy: Callable[[dict[str, Any]], Any],
        *,
        host: str = "127.0.0.1",
        port: int = 8000,
        metadata: dict[str, Any] | None = None,
    ):
        self.policy = policy
        self.metadata = {"conventions": CONVENTIONS} if metadata is None else metadata
        # Policies are seldom safe to call from several threads at once.
        self.lock = threading.Lock()
        try:
            self._server = _Server((host, port), _Connection)
        except OSError as e:
            raise PolicyError(f"cannot listen on {host}:{port}: {e.strerror}") from e
        self._server.owner = self
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """The port, also when 0 was asked for and the system chose."""
        return self._server.server_address[1]

    def infer(self, seen: dict[str, Any]) -> dict[str, Any]:
        """One answer to one observation."""
        with self.lock:
            started = time.perf_counter()
            answer = self.policy(seen)
            took = (time.perf_counter() - started) * 1e3
        reply = dict(answer) if isinstance(answer, dict) else {"actions": answer}
        if "actions" not in reply:
            raise ValueError(f"the policy's answer has no 'actions', only {sorted(reply)}")
        actions = reply["actions"]
        if hasattr(actions, "detach"):
            actions = actions.detach().cpu()
        actions = np.asarray(actions)
        if not np.issubdtype(actions.dtype, np.floating):
            actions = actions.astype(np.float32)
        reply["actions"] = actions[None] if actions.ndim == 1 else actions
        return reply | {"server_timing": {"infer_ms": took}}

    def serve(self) -> None:
        """Serves until interrupted."""
        try:
            self._server.serve_forever(poll_interval=0.1)
        except KeyboardInterrupt:
            pass
        finally:
            self._server.server_close()

    def start(self) -> PolicyServer:
        """Serves in a thread of its own."""
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Stops serving."""
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._thread = None
        self._server.server_close()

    def __enter__(self) -> PolicyServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()


def serve_policy(
    policy: Callable[[dict[str, Any]], Any],
    *,
    host: str = "0.0.0.0",
    port: int = 8000,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Serves a policy until interrupted: ``longarm eval TASK --policy openpi:HOST:PORT`` asks it, as
    does every other client of openpi.

    ``policy`` gets the observation as openpi's client sent it (our default preset: arrays under
    ``observation/…``, ``prompt``, ``step``, ``task``, ``policy_seed``) and returns an action (A,), a
    chunk of them (K, A), or a dictionary with ``actions``. A new episode has ``step`` 0. When it
    raises, the client is told why and the next one is served.
    """
    server = PolicyServer(policy, host=host, port=port, metadata=metadata)
    print(f"serving on {host}:{server.port}", flush=True)
    server.serve()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    owner: PolicyServer


class _Connection(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True
    server: _Server

    def handle(self) -> None:
        try:
            if self._greet():
                while (message := self._message()) is not None:
                    self._answer(message)
        except (EOFError, ConnectionError, _wire.WireError):
            pass  # The client is gone, or was never one.

    def _send(self, kind: int, data: bytes) -> None:
        self.wfile.write(_wire.frame(kind, data))
        self.wfile.flush()

    def _greet(self) -> bool:
        request = self.rfile.readline(8192).decode("latin-1").split()
        headers = {}
        while (line := self.rfile.readline(8192)) not in (b"\r\n", b"\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        key = headers.get("sec-websocket-key")
        if key is None:
            health = len(request) > 1 and request[1] == "/healthz"
            status, body = ("200 OK", b"OK\n") if health else ("426 Upgrade Required", b"")
            head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            self.wfile.write(head.encode() + body)
            return False
        self.wfile.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + f"Sec-WebSocket-Accept: {_wire.accept_key(key)}\r\n\r\n".encode()
        )
        self._send(_wire.BINARY, _wire.pack(self.server.owner.metadata))
        return True

    def _message(self) -> bytes | None:
        """The next message; pings are answered on the way."""
        parts: list[bytes] = []
        while True:
            last, kind, data = _wire.read_frame(self.rfile)
            if kind == _wire.PING:
                self._send(_wire.PONG, data)
            elif kind == _wire.CLOSE:
                self._send(_wire.CLOSE, data[:2])
                return None
            elif kind != _wire.PONG:
                parts.append(data)
                if last:
                    return parts[0] if len(parts) == 1 else b"".join(parts)

    def _answer(self, message: bytes) -> None:
        try:
            reply = _wire.pack(self.server.owner.infer(_wire.unpack(message)))
        except Exception:
            # As openpi's server does: the traceback as text, then the end.
            self._send(_wire.TEXT, traceback.format_exc().encode())
            said = b"Internal server error. Traceback included in previous frame."
            self._send(_wire.CLOSE, (1011).to_bytes(2, "big") + said)
            raise EOFError from None
        self._send(_wire.BINARY, reply)
