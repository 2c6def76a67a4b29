"""The bytes of openpi's protocol: msgpack with NumPy arrays. Standard library and NumPy only, so that a policy's own
packages decide on everything else."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

MAX_DEPTH = 64


class WireError(ValueError):
    """Bytes that mean nothing."""


def pack(value: Any) -> bytes:
    """As msgpack; arrays as openpi's msgpack_numpy writes them."""
    out = bytearray()
    _pack(value, out)
    return bytes(out)


def _sized(
    out: bytearray, n: int, small: tuple[int, int] | None, codes: list[tuple[int, str]]
) -> None:
    if small and n <= small[1]:
        out.append(small[0] | n)
        return
    for code, form in codes:
        if n < 1 << (8 * struct.calcsize(form)):
            out += struct.pack(">B" + form, code, n)
            return
    raise WireError(f"{n} items are too many")


def _pack(v: Any, out: bytearray) -> None:
    if v is None:
        out.append(0xC0)
    elif isinstance(v, bool):
        out.append(0xC3 if v else 0xC2)
    elif isinstance(v, int):
        if 0 <= v < 128:
            out.append(v)
        elif -32 <= v < 0:
            out.append(v & 0xFF)
        elif v >= 0:
            out += struct.pack(">BQ", 0xCF, v)
        else:
            out += struct.pack(">Bq", 0xD3, v)
    elif isinstance(v, float):
        out += struct.pack(">Bd", 0xCB, v)
    elif isinstance(v, str):
        data = v.encode()
        _sized(out, len(data), (0xA0, 31), [(0xD9, "B"), (0xDA, "H"), (0xDB, "I")])
        out += data
    elif isinstance(v, (bytes, bytearray, memoryview)):
        _sized(out, len(v), None, [(0xC4, "B"), (0xC5, "H"), (0xC6, "I")])
        out += v
    elif isinstance(v, dict):
        _sized(out, len(v), (0x80, 15), [(0xDE, "H"), (0xDF, "I")])
        for k, x in v.items():
            _pack(k, out)
            _pack(x, out)
    elif isinstance(v, (list, tuple)):
        _sized(out, len(v), (0x90, 15), [(0xDC, "H"), (0xDD, "I")])
        for x in v:
            _pack(x, out)
    elif isinstance(v, np.ndarray):
        if v.dtype.kind in "OVc":
            raise WireError(f"arrays of {v.dtype} cannot be sent")
        shape = list(v.shape)
        v = np.ascontiguousarray(v)
        head = {b"__ndarray__": True, b"data": v.tobytes(), b"dtype": v.dtype.str}
        _pack(head | {b"shape": shape}, out)
    elif isinstance(v, np.generic):
        _pack({b"__npgeneric__": True, b"data": v.item(), b"dtype": v.dtype.str}, out)
    else:
        raise WireError(f"a {type(v).__name__} cannot be sent")


def unpack(data: bytes) -> Any:
    """From msgpack; arrays are read-only views of ``data``."""
    try:
        value, end = _unpack(memoryview(data), 0, 0)
    except (IndexError, struct.error, UnicodeDecodeError, TypeError) as e:
        raise WireError(f"not msgpack: {e}") from e
    if end != len(data):
        raise WireError(f"{len(data) - end} bytes are left over")
    return value


_NUMBERS = {
    0xCA: "f", 0xCB: "d", 0xCC: "B", 0xCD: "H", 0xCE: "I", 0xCF: "Q",
    0xD0: "b", 0xD1: "h", 0xD2: "i", 0xD3: "q",
}  # fmt: skip
_LENGTHS = {
    0xC4: ("bin", "B"), 0xC5: ("bin", "H"), 0xC6: ("bin", "I"),
    0xD9: ("str", "B"), 0xDA: ("str", "H"), 0xDB: ("str", "I"),
    0xDC: ("list", "H"), 0xDD: ("list", "I"), 0xDE: ("map", "H"), 0xDF: ("map", "I"),
}  # fmt: skip


def _unpack(m: memoryview, at: int, depth: int) -> tuple[Any, int]:
    if depth > MAX_DEPTH:
        raise WireError("nested too deeply")
    code = m[at]
    at += 1
    if code < 0x80:
        return code, at
    if code >= 0xE0:
        return code - 0x100, at
    if code in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[code], at
    if code in _NUMBERS:
        form = ">" + _NUMBERS[code]
        return struct.unpack_from(form, m, at)[0], at + struct.calcsize(form)
    if code < 0x90:
        kind, n = "map", code & 0x0F
    elif code < 0xA0:
        kind, n = "list", code & 0x0F
    elif code < 0xC0:
        kind, n = "str", code & 0x1F
    elif code in _LENGTHS:
        kind, form = _LENGTHS[code]
        n = struct.unpack_from(">" + form, m, at)[0]
        at += struct.calcsize(form)
    else:
        raise WireError(f"msgpack code {code:#x} is not used here")
    if n > len(m) - at:
        raise WireError("it was cut")
    if kind in ("bin", "str"):
        part = m[at : at + n]
        return (bytes(part).decode() if kind == "str" else part), at + n
    items = []
    for _ in range(n * 2 if kind == "map" else n):
        value, at = _unpack(m, at, depth + 1)
        items.append(value)
    if kind == "list":
        return items, at
    keys = (bytes(k) if isinstance(k, memoryview) else k for k in items[::2])
    return _array(dict(zip(keys, items[1::2], strict=True))), at


def _array(d: dict) -> Any:
    def get(key: str) -> Any:
        return d.get(key.encode(), d.get(key))

    if get("__ndarray__"):
        dtype = get("dtype")
        dtype = np.dtype(bytes(dtype).decode() if isinstance(dtype, memoryview) else dtype)
        if dtype.hasobject:
            raise WireError("arrays of objects are not taken")
        return np.frombuffer(get("data"), dtype).reshape(get("shape"))
    if get("__npgeneric__"):
        return np.dtype(get("dtype")).type(get("data"))
    return {k: bytes(v) if isinstance(v, memoryview) else v for k, v in d.items()}
