"""Plain data, and nothing else: how values become a JSON skeleton plus raw bytes, and return.

Plain are None, bool, int, float, str, bytes, lists and tuples (both arrive as lists), dicts with
keys of these simple kinds, NumPy arrays and scalars of the numeric dtypes, and ordinary strided
CPU tensors (they arrive as arrays; bfloat16 as float32 with the exact values). Text of NumPy or of
an enumeration arrives as str, a path as its text, a fraction as the nearest float. The choice is
made by exact type, so that an object with methods of its own is named rather than asked.

Skeleton, as JSON: null, booleans, strings, numbers and arrays stand for themselves; everything
else is an object with one entry whose bytes, if any, come next in the payload::

    {"d": [[key, value], ...]}  dict          {"a": [dtype, shape]}  array
    {"f": "nan"}                NaN, +-inf    {"n": dtype}           NumPy scalar
    {"i": bytes}                large int     {"p": [dtype, count]}  long list of one kind
    {"s": bytes}                long str      {"b": bytes}           bytes
"""

from __future__ import annotations

import math
import os
import sys
from collections import Counter, OrderedDict, defaultdict
from fractions import Fraction
from pathlib import PosixPath, WindowsPath
from typing import Any, TypeAlias

from grader.errors import SandboxError

Buffer: TypeAlias = bytes | bytearray | memoryview

MOST_DEPTH = 64
MOST_NODES = 4_000_000
MOST_INT = 1700  # bytes; a longer int cannot even be printed (Python stops at 4300 digits)
LONG_STRING = 256
LONG_LIST = 32
MOST_DIMENSIONS = 32

DTYPES = {
    name: int(name[2:])
    for name in (
        "|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8",
        "<f2", "<f4", "<f8", "<c8", "<c16",
    )
}  # fmt: skip
DICTS = (dict, OrderedDict, defaultdict, Counter)
PACKED = {int: "<i8", float: "<f8", bool: "|b1"}


class WireError(SandboxError):
    """Bytes that are no frame; `name` says which rule they break."""

    def __init__(self, name: str, message: str) -> None:
        """Keep the rule's name beside the sentence."""
        super().__init__(message)
        self.name = name


class NotPlainError(SandboxError):
    """A value that is not plain data, with the way to it."""

    def __init__(self, path: tuple[Any, ...], what: str) -> None:
        """Keep the path, as keys and indices from the outermost value."""
        self.path = path
        self.what = what
        root, rest = (str(path[0]), path[1:]) if path else ("the value", path)
        super().__init__(f"{place(root, rest)} {what}")


def place(name: str, path: tuple[Any, ...]) -> str:
    """Return a path as Python would write it: ``result['loss'][3]``."""
    return name + "".join(
        f"[{str(key)[:40]!r}]" if type(key) is str else f"[{key}]" for key in path
    )


class Packer:
    """Turns plain data into a skeleton and the pieces of its payload."""

    def __init__(self, most: int) -> None:
        """Allow a payload of `most` [B]."""
        self.parts: list[Buffer] = []
        self._left = most
        self._most = most
        self._nodes = MOST_NODES
        self._path: list[Any] = []

    def pack(self, value: Any) -> Any:
        """Return the skeleton of a value; its bytes are appended to `parts`.

        Raises:
            NotPlainError: Some part of the value is not plain, too deep, or too large.
        """
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is int:
            return self._int(value)
        if kind is float:
            return value if math.isfinite(value) else {"f": str(value)}
        if issubclass(kind, str):
            # np.str_, StrEnum: the base class copies the text, whatever the subclass says
            return self._str(str.__str__(value))
        if kind is bytes:
            return {"b": self._add(value)}
        if kind is list or issubclass(kind, tuple):
            return self._list(value)
        if kind in DICTS:
            return self._dict(value)
        return self._array(value, kind)

    def _int(self, value: int) -> Any:
        if -(2**63) <= value < 2**63:
            return value
        length = value.bit_length() // 8 + 1
        if length > MOST_INT:
            raise self._refuse("is an integer of more than 4000 digits")
        return {"i": self._add(value.to_bytes(length, "little", signed=True))}

    def _str(self, value: str) -> Any:
        try:
            text = value.encode()
        except UnicodeEncodeError:
            raise self._refuse("is a string that is not valid Unicode text") from None
        return value if len(value) < LONG_STRING else {"s": self._add(text)}

    def _list(self, value: Any) -> Any:
        # The base class iterates, so that a subclass cannot answer with other items.
        items = list(tuple.__iter__(value)) if isinstance(value, tuple) else value
        self._count(len(items))
        if len(items) >= LONG_LIST:
            packed = self._packed(items)
            if packed is not None:
                return packed
        return [self._inside(index, item) for index, item in enumerate(items)]

    def _packed(self, items: list[Any]) -> Any:
        kinds = set(map(type, items))
        if len(kinds) != 1 or (dtype := PACKED.get(kinds.pop())) is None:
            return None
        import numpy as np

        try:
            array = np.array(items, dtype=dtype)
        except OverflowError:
            return None
        self._add(array.tobytes())
        return {"p": [dtype, len(items)]}

    def _dict(self, value: dict[Any, Any]) -> Any:
        pairs = []
        items = list(dict.items(value))
        self._count(2 * len(items))
        for given, item in items:
            key = self._key(given)
            if key is not None and type(key) not in (str, int, float, bool):
                raise self._refuse(
                    f"has a key that is a {type(key).__name__}, not a string or number"
                )
            pairs.append([self._inside(key, key), self._inside(key, item)])
        return {"d": pairs}

    def _key(self, key: Any) -> Any:
        """Return a key as Python's own text or number."""
        if isinstance(key, str):
            return str.__str__(key)
        np = sys.modules.get("numpy")
        return key.item() if np is not None and issubclass(type(key), np.generic) else key

    def _array(self, value: Any, kind: type) -> Any:
        np, torch = sys.modules.get("numpy"), sys.modules.get("torch")
        if torch is not None and kind in (torch.Tensor, torch.nn.Parameter):
            value = self._tensor(value, torch)
            kind = type(value)
        if np is not None and kind is np.ndarray:
            if value.dtype.kind == "U":
                return self.pack(value.tolist())
            dtype = self._dtype(value.dtype)
            flat = np.ascontiguousarray(value, dtype=dtype).reshape(-1)
            self._add(flat.view(np.uint8).data)
            return {"a": [dtype, list(value.shape)]}
        if np is not None and issubclass(kind, np.generic):
            dtype = self._dtype(value.dtype)
            self._add(np.array(value, dtype=dtype).tobytes())
            return {"n": dtype}
        if kind is Fraction:
            return self.pack(self._quotient(value))
        if kind in (PosixPath, WindowsPath):
            return self._str(os.fspath(value))
        raise self._refuse(f"is {article(kind.__name__)}, which is not plain data")

    def _quotient(self, value: Fraction) -> int | float:
        """Return a fraction as a number: an integer if it is one, else the nearest float."""
        if value.denominator == 1:
            return value.numerator
        try:
            return value.numerator / value.denominator
        except ArithmeticError:
            raise self._refuse("is a Fraction that no float can hold") from None

    def _tensor(self, value: Any, torch: Any) -> Any:
        if value.device.type != "cpu" or value.layout is not torch.strided or value.is_quantized:
            raise self._refuse(
                f"is a tensor on {value.device} with layout {value.layout}; "
                "return an ordinary CPU tensor"
            )
        value = value.detach().resolve_conj().resolve_neg()
        if value.dtype is torch.bfloat16:
            value = value.float()
        try:
            return value.numpy()
        except (TypeError, RuntimeError):
            raise self._refuse(f"is a tensor of {value.dtype}, which has no plain form") from None

    def _dtype(self, dtype: Any) -> str:
        name = str(dtype.newbyteorder("<").str)
        if name not in DTYPES:
            raise self._refuse(f"has the dtype {dtype}, which is not plain data")
        return name

    def _inside(self, key: Any, value: Any) -> Any:
        self._path.append(key)
        if len(self._path) > MOST_DEPTH:
            raise NotPlainError(tuple(self._path[:3]), f"is nested deeper than {MOST_DEPTH} levels")
        skeleton = self.pack(value)
        self._path.pop()
        return skeleton

    def _add(self, part: Buffer) -> int:
        self.spend(len(part))
        self.parts.append(part)
        return len(part)

    def spend(self, count: int) -> None:
        """Take bytes from what the payload may still hold."""
        self._left -= count
        if self._left < 0:
            raise self.too_large()

    def _count(self, nodes: int) -> None:
        self._nodes -= nodes
        if self._nodes < 0:
            raise self._refuse(f"makes the answer hold more than {MOST_NODES} values")

    def too_large(self) -> NotPlainError:
        """Return the refusal of an answer that is too long."""
        return self._refuse(f"makes the answer larger than {self._most >> 20} MiB")

    def _refuse(self, what: str) -> NotPlainError:
        return NotPlainError(tuple(self._path), what)


def article(name: str) -> str:
    """Return a class name with its article: ``a MyFloat``, ``an OddArray``."""
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


class Unpacker:
    """Makes values from a skeleton and a payload that may both be hostile."""

    def __init__(self, payload: memoryview) -> None:
        """Read the payload from its start, each byte once."""
        self._rest = payload
        self._nodes = MOST_NODES
        self._tags = {
            "d": self._dict, "f": self._float, "i": self._int, "s": self._str,
            "b": self._bytes, "p": self._packed, "a": self._array, "n": self._scalar,
        }  # fmt: skip

    def unpack(self, skeleton: Any, depth: int = 0) -> Any:
        """Return the value of a skeleton that came from JSON.

        Raises:
            WireError: The skeleton and the payload do not fit each other, or break a cap.
        """
        kind = type(skeleton)
        if skeleton is None or kind in (bool, int):
            return skeleton
        if kind is str:
            return self._short(skeleton)
        if kind is float:
            if not math.isfinite(skeleton):
                raise WireError("bad-number", "a number beyond the range of a float")
            return skeleton
        if depth > MOST_DEPTH:
            raise WireError("too-deep", f"data nested deeper than {MOST_DEPTH} levels")
        if kind is list:
            self._count(len(skeleton))
            return [self.unpack(item, depth + 1) for item in skeleton]
        if len(skeleton) != 1:
            raise WireError("bad-tag", "an object with more or less than one entry")
        ((tag, detail),) = skeleton.items()
        if tag not in self._tags:
            raise WireError("bad-tag", "an object with an unknown tag")
        return self._tags[tag](detail, depth + 1)

    def finish(self) -> None:
        """Refuse bytes that no part of the skeleton asked for."""
        if len(self._rest):
            raise WireError("trailing-bytes", f"{len(self._rest)} bytes that nothing refers to")

    def _take(self, count: Any) -> memoryview:
        if type(count) is not int or not 0 <= count <= len(self._rest):
            raise WireError("bad-length", "a length that does not fit the payload")
        part, self._rest = self._rest[:count], self._rest[count:]
        return part

    def _count(self, nodes: int) -> None:
        self._nodes -= nodes
        if self._nodes < 0:
            raise WireError("too-many", f"more than {MOST_NODES} values")

    def _dict(self, pairs: Any, depth: int) -> dict[Any, Any]:
        if type(pairs) is not list:
            raise WireError("bad-tag", "a dict that is not a list of pairs")
        self._count(2 * len(pairs))
        found: dict[Any, Any] = {}
        for pair in pairs:
            if type(pair) is not list or len(pair) != 2:
                raise WireError("bad-tag", "a dict entry that is not a pair")
            key = self.unpack(pair[0], depth)
            if key is not None and type(key) not in (str, int, float, bool):
                raise WireError("bad-key", f"a key that is a {type(key).__name__}")
            if key in found:
                raise WireError("duplicate-key", "a dict with the same key twice")
            found[key] = self.unpack(pair[1], depth)
        return found

    def _float(self, text: Any, depth: int) -> float:
        if type(text) is not str or text not in ("nan", "inf", "-inf"):
            raise WireError("bad-number", "a float that is not nan, inf or -inf")
        return float(text)

    def _int(self, length: Any, depth: int) -> int:
        if type(length) is not int or length > MOST_INT:
            raise WireError("bad-number", f"an integer of more than {MOST_INT} bytes")
        return int.from_bytes(self._take(length), "little", signed=True)

    def _str(self, length: Any, depth: int) -> str:
        try:
            return bytes(self._take(length)).decode()
        except UnicodeDecodeError:
            raise WireError("bad-text", "a string that is not UTF-8") from None

    @staticmethod
    def _short(text: str) -> str:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise WireError("bad-text", "a string that is not valid Unicode text") from None
        return text

    def _bytes(self, length: Any, depth: int) -> bytes:
        return bytes(self._take(length))

    def _packed(self, detail: Any, depth: int) -> list[Any]:
        dtype, count = self._pair(detail)
        if dtype not in PACKED.values() or type(count) is not int or not 0 <= count <= MOST_NODES:
            raise WireError("bad-list", "a packed list of an unknown kind or length")
        self._count(count)
        values: list[Any] = self._numbers(dtype, count).tolist()
        return values

    def _array(self, detail: Any, depth: int) -> Any:
        dtype, shape = self._pair(detail)
        if type(shape) is not list or len(shape) > MOST_DIMENSIONS:
            raise WireError("bad-shape", "a shape that is not a short list")
        if not all(type(n) is int and 0 <= n < 2**48 for n in shape):
            raise WireError("bad-shape", "a shape with a dimension that is not a count")
        if math.prod(n for n in shape if n) >= 2**48:
            raise WireError("bad-shape", "a shape with more elements than any array")
        return self._numbers(dtype, math.prod(shape)).reshape(shape)

    def _scalar(self, dtype: Any, depth: int) -> Any:
        return self._numbers(dtype, 1)[0]

    def _numbers(self, dtype: Any, count: int) -> Any:
        if type(dtype) is not str or dtype not in DTYPES:
            raise WireError("bad-dtype", "a dtype that is not one of the plain ones")
        data = self._take(count * DTYPES[dtype])
        import numpy as np

        if count == 0:
            return np.empty(0, dtype)
        if dtype == "|b1":  # any byte but 0 and 1 would be a bool that is neither
            return np.frombuffer(data, np.uint8) != 0
        return np.frombuffer(data, dtype).copy()

    @staticmethod
    def _pair(detail: Any) -> tuple[Any, Any]:
        if type(detail) is not list or len(detail) != 2:
            raise WireError("bad-tag", "a tag whose detail is not a pair")
        return detail[0], detail[1]
