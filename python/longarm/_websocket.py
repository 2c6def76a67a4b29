"""WebSockets, the server's side, with the standard library and NumPy only."""

from __future__ import annotations

import base64
import hashlib
import socketserver
import struct
import threading
from typing import Any

import numpy as np

from ._wire import WireError

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def frame(kind: int, data: bytes) -> bytes:
    """One unmasked frame, as servers send them."""
    n = len(data)
    if n < 126:
        head = struct.pack(">BB", 0x80 | kind, n)
    elif n < 1 << 16:
        head = struct.pack(">BBH", 0x80 | kind, 126, n)
    else:
        head = struct.pack(">BBQ", 0x80 | kind, 127, n)
    return head + data


def read_frame(stream: Any, longest: int = 1 << 32) -> tuple[bool, int, bytes]:
    """Whether it is the last of its message, its kind and its unmasked bytes."""
    first, second = _exactly(stream, 2)
    n = second & 0x7F
    if n == 126:
        n = struct.unpack(">H", _exactly(stream, 2))[0]
    elif n == 127:
        n = struct.unpack(">Q", _exactly(stream, 8))[0]
    if n > longest:
        raise WireError(f"a frame of {n} bytes is not taken")
    mask = _exactly(stream, 4) if second & 0x80 else None
    data = _exactly(stream, n)
    if mask is not None and n:
        key = np.frombuffer((mask * (n // 4 + 1))[:n], np.uint8)
        data = (np.frombuffer(data, np.uint8) ^ key).tobytes()
    return bool(first & 0x80), first & 0x0F, data


def _exactly(stream: Any, n: int) -> bytes:
    data = stream.read(n)
    if len(data) != n:
        raise EOFError("the connection was closed")
    return data


class Server(socketserver.ThreadingTCPServer):
    """A port with a thread for each connection."""

    allow_reuse_address = True
    daemon_threads = True


class Connection(socketserver.StreamRequestHandler):
    """One connection: :meth:`greet`, then messages both ways."""

    disable_nagle_algorithm = True
    longest = 1 << 32

    def setup(self) -> None:
        super().setup()
        # Pings are answered by who reads, while somebody else may write.
        self._writing = threading.Lock()

    def refusal(self, headers: dict[str, str]) -> str | None:
        """The status with which a client is turned away, such as ``403 Forbidden``; :const:`None` lets it in."""
        return None

    def greet(self) -> bool:
        """Shake hands, or answer a plain request and return ``False``."""
        request = self.rfile.readline(8192).decode("latin-1").split()
        headers: dict[str, str] = {}
        while (line := self.rfile.readline(8192)) not in (b"\r\n", b"\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        key, status, body = headers.get("sec-websocket-key"), self.refusal(headers), b""
        if status is None and key is None:
            health = len(request) > 1 and request[1] == "/healthz"
            status, body = ("200 OK", b"OK\n") if health else ("426 Upgrade Required", b"")
        if status is not None or key is None:
            head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            self.wfile.write(head.encode() + body)
            return False
        accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        self.wfile.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
        )
        return True

    def send(self, kind: int, data: bytes) -> None:
        """Send one message."""
        with self._writing:
            self.wfile.write(frame(kind, data))
            self.wfile.flush()

    def message(self) -> tuple[int, bytes] | None:
        """The next message and its kind; pings are answered on the way. ``None``: the client has said goodbye."""
        parts: list[bytes] = []
        whole = 0
        while True:
            last, kind, data = read_frame(self.rfile, self.longest)
            if kind == PING:
                self.send(PONG, data)
            elif kind == CLOSE:
                self.send(CLOSE, data[:2])
                return None
            elif kind != PONG:
                if (size := sum(map(len, parts)) + len(data)) > self.longest:
                    raise WireError(f"a message of {size} bytes is not taken")
                whole = whole or kind
                parts.append(data)
                if last:
                    return whole, parts[0] if len(parts) == 1 else b"".join(parts)
