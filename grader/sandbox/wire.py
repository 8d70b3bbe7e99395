"""Frames between driver and worker: a short JSON header and raw little-endian bytes.

A frame is ``magic | u32 header length | u64 payload length | header | payload``. The header is a
JSON skeleton of at most 64 KiB; arrays, long lists and long strings lie in the payload, one after
another in the order in which the skeleton names them. Nothing in a frame is ever executed.

Whoever reads a frame trusts none of it: each length, dtype, shape and depth is checked before a
value is made, and each refusal is a `WireError` with a name.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from typing import Any

from grader.sandbox.plain import Buffer, Packer, Unpacker, WireError

__all__ = ["HEAD", "MAGIC", "FrameReader", "WireError", "decode", "encode"]

MAGIC = b"TEv1"
HEAD = struct.Struct("<4sIQ")
MOST_HEADER = 64 << 10
MOST_SKELETON = 16 << 20
MOST_PAYLOAD = 256 << 20


def encode(message: Mapping[str, Any], *, most: int = MOST_PAYLOAD) -> list[Buffer]:
    """Return the frame of a plain message as pieces to be written in order.

    Args:
        message: Plain data; see `grader.sandbox.plain`.
        most: Cap of the payload [B].

    Raises:
        NotPlainError: A value in the message is not plain data, or is too large.
    """
    packer = Packer(most)
    skeleton = _dump(packer.pack(dict(message)))
    parts = packer.parts
    header = b'{"v":' + skeleton + b"}"
    if len(header) > MOST_HEADER:
        # Many small values, such as the events of a trace: the skeleton itself becomes payload.
        packer.spend(len(skeleton))
        if len(skeleton) > MOST_SKELETON:
            raise packer.too_large()
        parts = [skeleton, *parts]
        header = _dump({"j": len(skeleton)})
    payload = sum(len(part) for part in parts)
    return [HEAD.pack(MAGIC, len(header), payload) + header, *parts]


def decode(header: bytes, payload: Buffer) -> dict[str, Any]:
    """Return the message of a frame whose head was already taken off.

    Raises:
        WireError: The bytes are not a frame that `encode` could have made.
    """
    rest = memoryview(payload)
    outer = _load(header)
    if type(outer) is not dict or len(outer) != 1:
        raise WireError("bad-header", "the header is not an object with one entry")
    if "v" in outer:
        skeleton = outer["v"]
    elif "j" in outer:
        length = outer["j"]
        if type(length) is not int or not 0 <= length <= min(len(rest), MOST_SKELETON):
            raise WireError("bad-length", "the skeleton's length does not fit the payload")
        skeleton, rest = _load(bytes(rest[:length])), rest[length:]
    else:
        raise WireError("bad-header", "the header has neither a skeleton nor its length")
    unpacker = Unpacker(rest)
    message = unpacker.unpack(skeleton)
    unpacker.finish()
    if type(message) is not dict:
        raise WireError("not-a-message", "the frame holds a value where a message belongs")
    return message


def _dump(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def _load(text: bytes) -> Any:
    try:
        return json.loads(text.decode("ascii"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError, MemoryError) as error:
        raise WireError("bad-json", f"the skeleton is not JSON: {type(error).__name__}") from None


def _refuse_constant(name: str) -> Any:
    raise WireError("bad-json", f"the skeleton contains {name}")


class FrameReader:
    """Collects the bytes of frames as they arrive, and refuses early what cannot be one.

    Usage: fill `room()` with bytes, tell `took(n)`; a message is returned when one is complete.
    """

    def __init__(self, most: int = MOST_PAYLOAD) -> None:
        """Refuse payloads longer than `most` [B]."""
        self._most = most
        self._start()

    def _start(self) -> None:
        self._stage = "head"
        self._block = bytearray(HEAD.size)
        self._have = 0
        self._header = b""
        self._payload_length = 0

    @property
    def started(self) -> bool:
        """Whether some bytes of an unfinished frame are here."""
        return self._stage != "head" or self._have > 0

    def room(self) -> memoryview:
        """Return the space for the next bytes; never empty."""
        return memoryview(self._block)[self._have :]

    def took(self, count: int) -> dict[str, Any] | None:
        """Account for `count` bytes written into `room()`; return a message if it is complete.

        Raises:
            WireError: The bytes cannot be a frame.
        """
        self._have += count
        while self._have == len(self._block):
            if self._stage == "head":
                self._read_head()
            elif self._stage == "header":
                self._header = bytes(self._block)
                self._next("payload", self._payload_length)
            else:
                header, payload = self._header, self._block
                self._start()
                return decode(header, payload)
        return None

    def _read_head(self) -> None:
        magic, header_length, self._payload_length = HEAD.unpack(self._block)
        if magic != MAGIC:
            raise WireError("bad-magic", "the bytes do not start like an answer")
        if not 0 < header_length <= MOST_HEADER:
            raise WireError("header-too-long", f"a header of {header_length} bytes")
        if self._payload_length > self._most:
            raise WireError("payload-too-long", f"a payload of {self._payload_length} bytes")
        self._next("header", header_length)

    def _next(self, stage: str, length: int) -> None:
        self._stage, self._block, self._have = stage, bytearray(length), 0

    def feed(self, data: Buffer) -> Iterable[dict[str, Any]]:
        """Yield the messages completed by these bytes."""
        rest = memoryview(data)
        while rest:
            room = self.room()
            count = min(len(room), len(rest))
            room[:count] = rest[:count]
            rest = rest[count:]
            message = self.took(count)
            if message is not None:
                yield message
