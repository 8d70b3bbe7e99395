"""Where two pieces of plain data differ: a pure function over numbers, lists, dicts and arrays.

Shapes are compared exactly, never broadcast; NaN equals only an expected NaN; a bool is not a
number; an empty array is close only to an empty array of the same shape.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Largest accepted difference: ``atol + rtol * |expected|``."""

    rtol: float = 0.0
    atol: float = 0.0

    def accepts(self, got: float, want: float) -> bool:
        """Whether a number is near enough."""
        if math.isnan(want) or math.isnan(got):
            return math.isnan(want) and math.isnan(got)
        if math.isinf(want) or math.isinf(got):
            return want == got
        return got == want or abs(got - want) <= self.atol + self.rtol * abs(want)


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference found.

    Attributes:
        place: Where in the data, such as ``['forward'][2]``; empty at the top.
        message: What differs, in words.
        expected: The expected piece, as text.
        got: The piece that was found, as text.
    """

    place: str
    message: str
    expected: str = ""
    got: str = ""


def difference(got: Any, want: Any, tolerance: Tolerance, place: str = "") -> Difference | None:
    """Return the first difference between two pieces of plain data, None if there is none."""
    got, want = _scalar(got), _scalar(want)
    if isinstance(want, np.ndarray):
        return _arrays(got, want, tolerance, place)
    if isinstance(want, Mapping):
        return _mappings(got, want, tolerance, place)
    if isinstance(want, list | tuple):
        return _sequences(got, want, tolerance, place)
    if isinstance(want, bool) or not isinstance(want, int | float):
        return _exact(got, want, place)
    if isinstance(got, np.ndarray) and got.shape == () and got.dtype.kind in "iuf":
        got = got.item()
    if isinstance(got, bool) or not isinstance(got, int | float):
        return Difference(place, f"expected a number, got {kind(got)}", show(want), show(got))
    if not _near(got, want, tolerance):
        return Difference(place, _ratio(got, want), show(want), show(got))
    return None


def _near(got: float, want: float, tolerance: Tolerance) -> bool:
    """Compare two numbers; integers of any size without rounding when the tolerance is zero."""
    if isinstance(got, int) and isinstance(want, int) and not (tolerance.rtol or tolerance.atol):
        return got == want
    try:
        return tolerance.accepts(float(got), float(want))
    except OverflowError:
        return got == want


def _exact(got: Any, want: Any, place: str) -> Difference | None:
    if type(got) is type(want) and got == want:
        return None
    note = "" if type(got) is type(want) else f"expected {kind(want)}, got {kind(got)}"
    return Difference(place, note, show(want), show(got))


def _sequences(
    got: Any, want: list[Any] | tuple[Any, ...], tolerance: Tolerance, place: str
) -> Difference | None:
    if isinstance(got, np.ndarray) and got.ndim >= 1:
        got = list(got)
    if not isinstance(got, list | tuple):
        return Difference(place, f"expected a list, got {kind(got)}", show(want), show(got))
    if len(got) != len(want):
        note = _odd_words(got, want)
        return Difference(place, note, f"{len(want)} entries", f"{len(got)} entries")
    for index, (mine, theirs) in enumerate(zip(got, want, strict=True)):
        found = difference(mine, theirs, tolerance, f"{place}[{index}]")
        if found:
            return found
    return None


def _odd_words(got: Sequence[Any], want: Sequence[Any]) -> str:
    """Say which words of two lists of words are missing, and which are there besides."""
    if not all(isinstance(word, str) for word in (*got, *want)):
        return ""
    missing, besides = Counter(want) - Counter(got), Counter(got) - Counter(want)
    parts = (("missing", missing), ("there besides", besides))
    said = (f"{name}: {', '.join(map(show, sorted(odd)))}" for name, odd in parts if odd)
    return "; ".join(said)


def _mappings(
    got: Any, want: Mapping[Any, Any], tolerance: Tolerance, place: str
) -> Difference | None:
    if not isinstance(got, Mapping):
        return Difference(place, f"expected a dict, got {kind(got)}", "", show(got))
    missing = [key for key in want if key not in got]
    extra = [key for key in got if key not in want]
    if missing or extra:
        parts = []
        if missing:
            parts.append(f"missing {', '.join(map(repr, missing[:5]))}")
        if extra:
            parts.append(f"not expected {', '.join(map(repr, extra[:5]))}")
        keys = "keys " + ", ".join(map(repr, list(want)[:12]))
        return Difference(place, "; ".join(parts), keys, "keys " + show(list(got)))
    for key, value in want.items():
        found = difference(got[key], value, tolerance, f"{place}[{key!r}]")
        if found:
            return found
    return None


def _arrays(got: Any, want: np.ndarray, tolerance: Tolerance, place: str) -> Difference | None:
    if isinstance(got, list | tuple | int | float) and not isinstance(got, bool):
        try:
            got = np.asarray(got)
        except ValueError:
            return Difference(place, "expected an array, got a ragged list")
    if not isinstance(got, np.ndarray):
        return Difference(place, f"expected an array, got {kind(got)}", "", show(got))
    if got.shape != want.shape:
        return Difference(place, "the shape differs", str(want.shape), str(got.shape))
    if (got.dtype.kind == "b") != (want.dtype.kind == "b"):
        return Difference(place, "the dtype differs", str(want.dtype), str(got.dtype))
    wrong = ~_close_mask(got, want, tolerance)
    count = int(np.count_nonzero(wrong))
    if not count:
        return None
    index = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    where = "".join(f"[{int(i)}]" for i in index)
    note = f"{count} of {wrong.size} values differ"
    return Difference(place + where, note, show(want[index]), show(got[index]))


def _close_mask(got: np.ndarray, want: np.ndarray, tolerance: Tolerance) -> np.ndarray:
    if want.dtype.kind in "biuSU" and not (tolerance.rtol or tolerance.atol):
        return np.asarray(got == want)
    with np.errstate(all="ignore"):
        wide = np.complex128 if "c" in (got.dtype.kind, want.dtype.kind) else np.float64
        mine, theirs = got.astype(wide), want.astype(wide)
        near = np.abs(mine - theirs) <= tolerance.atol + tolerance.rtol * np.abs(theirs)
        both_nan = np.isnan(mine) & np.isnan(theirs)
        finite = np.isfinite(mine) & np.isfinite(theirs)
        return np.asarray((finite & near) | (mine == theirs) | both_nan)


def _scalar(value: Any) -> Any:
    """Turn a NumPy scalar into Python's own number."""
    return value.item() if isinstance(value, np.generic) else value


def _ratio(got: float, want: float) -> str:
    """Say how far off a number is, in the words one would use."""
    try:
        got, want = float(got), float(want)
    except OverflowError:
        return ""
    if not (math.isfinite(got) and math.isfinite(want)) or want == 0:
        return ""
    ratio = got / want
    if ratio <= 0:
        return "the sign differs" if ratio < 0 else ""
    if ratio >= 1.995 or ratio <= 0.5025:
        return f"{ratio:.4g} times what was expected"
    percent = abs(ratio - 1) * 100
    if percent < 1e-4:
        return f"differs by {abs(got - want):.3g}"
    return f"{percent:.3g} % {'high' if ratio > 1 else 'low'}"


def kind(value: Any) -> str:
    """Name the kind of a piece of plain data, for a sentence."""
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}"
    names = {bool: "a bool", int: "an int", float: "a float", str: "text", bytes: "bytes"}
    names |= {list: "a list", tuple: "a tuple", dict: "a dict"}
    return names.get(type(value), type(value).__name__)


def show(value: Any) -> str:
    """Return a short text for a piece of plain data; long data is cut, arrays are summarised."""
    value = _scalar(value)
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        return str(value) if abs(value) < 10**18 else f"{Decimal(value):.6e}"
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, np.ndarray):
        return f"array{value.shape} of {value.dtype}"
    try:
        text = repr(value)
    except ValueError:  # an integer in it has more digits than Python prints
        return f"{type(value).__name__} with an integer of thousands of digits"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
