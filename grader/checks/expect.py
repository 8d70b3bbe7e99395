"""The `expect` fixture: each method holds one thing against the truth and says what it saw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import numpy as np

from grader.checks.compare import Tolerance, difference, kind, show
from grader.checks.outcomes import Finding, Inconclusive, Skipped, Unmet


class Expect:
    """Expectations of one check, in order."""

    def __init__(self) -> None:
        self._made = 0

    def equal(self, got: Any, want: Any, what: str = "the result", unit: str = "") -> None:
        """Expect plain data to be equal; numbers by value, shapes and keys exactly."""
        self.close(got, want, what=what, unit=unit)

    def close(
        self,
        got: Any,
        want: Any,
        *,
        rtol: float = 0.0,
        atol: float = 0.0,
        what: str = "the result",
        unit: str = "",
    ) -> None:
        """Expect numbers, or plain data made of numbers, within ``atol + rtol * |want|``."""
        order = self._next()
        found = difference(got, want, Tolerance(rtol, atol))
        if found is None:
            return
        name = f"{what}, entry {found.place}," if found.place else what
        note = f": {found.message}" if found.message else ""
        raise Unmet(
            Finding(
                what=name,
                message=f"{name} is not as expected{note}.",
                expected=found.expected,
                got=found.got,
                unit=unit,
                value=got,
                order=order,
            )
        )

    def between(
        self, got: Any, low: float, high: float, what: str = "the result", unit: str = ""
    ) -> None:
        """Expect a number from `low` to `high`, both finite and included."""
        order = self._next()
        value = got.item() if isinstance(got, np.generic) else got
        span = f"{show(low)} to {show(high)}"
        if isinstance(value, bool) or not isinstance(value, int | float):
            note = f"{what} should be a number, not {kind(value)}."
        elif not low <= value <= high:  # NaN neither, and an int of any size compares
            note = f"{what} is outside the range that can be right."
        else:
            return
        raise Unmet(Finding(what, note, span, show(value), unit, value, order))

    def that(self, condition: Any, message: str, got: Any = None) -> None:
        """Expect a condition that the driver computed; `message` says what is wrong otherwise."""
        order = self._next()
        if condition is True or (isinstance(condition, np.bool_) and bool(condition)):
            return
        shown = "" if got is None else show(got)
        raise Unmet(Finding(message, message, "", shown, "", got, order))

    def one_of(self, got: Any, wanted: Iterable[Any], what: str = "the result") -> None:
        """Expect one of several plain values."""
        order = self._next()
        choices = list(wanted)
        if any(difference(got, choice, Tolerance()) is None for choice in choices):
            return
        shown = " or ".join(show(choice) for choice in choices[:6])
        raise Unmet(Finding(what, f"{what} is not as expected.", shown, show(got), "", got, order))

    def keys(self, got: Any, wanted: Iterable[str], what: str = "the result") -> None:
        """Expect a dict that has at least these keys."""
        order = self._next()
        names = list(wanted)
        if not isinstance(got, Mapping):
            note = f"{what} should be a dict, not {kind(got)}."
            raise Unmet(Finding(what, note, "a dict", show(got), "", got, order))
        missing = [name for name in names if name not in got]
        if missing:
            note = f"{what} lacks {', '.join(map(repr, missing))}."
            shown = "keys " + show(sorted(map(str, got)))
            raise Unmet(Finding(what, note, "keys " + show(names), shown, "", got, order))

    def unmet(self, message: str, expected: str = "", got: Any = None) -> NoReturn:
        """State that the check is not met, in a sentence."""
        shown = "" if got is None else show(got)
        raise Unmet(Finding(message, message, expected, shown, "", got, self._next()))

    def inconclusive(self, why: str) -> NoReturn:
        """State that noise forbids a verdict."""
        raise Inconclusive(why)

    def skip(self, why: str) -> NoReturn:
        """State that this machine lacks what the check needs, such as CUDA."""
        raise Skipped(why)

    def _next(self) -> int:
        self._made += 1
        return self._made - 1
