"""Quantities with units: one number, one unit, and nothing that could be read in two ways."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from grader.predictions.advice import LONGEST, quote, why_no_number, why_no_unit
from grader.predictions.units import EXAMPLES, FAMILIES

_GRAMMAR = re.compile(
    r"(?P<sign>[+-]?)"
    r"(?P<digits>[0-9]+)(?:\.(?P<decimals>[0-9]+))?"
    r"(?:[eE](?P<exponent>[+-]?[0-9]{1,3}))?"
    r" *(?P<unit>[^0-9 .,_+-][^0-9]*)?"
)
_LARGEST = 10**30
_SMALLEST = Fraction(1, 10**30)


class QuantityError(ValueError):
    """A text is not a quantity of the wanted unit; the message says why and what to write."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in the base unit of its family.

    Attributes:
        value: Size [`unit`]; an int, however large, when it is a whole number.
        unit: Base unit: ``B``, ``FLOP``, ``s``, ``%`` or ``1``.
        text: The text it was read from.
        digits: Significant digits that were written.
        half_digit: Half a unit of the last written digit [`unit`].
    """

    value: int | float
    unit: str
    text: str
    digits: int
    half_digit: float

    @property
    def canonical(self) -> str:
        """The same for each spelling of a quantity to as many digits.

        ``1600000 B to 2 digits`` stands for ``1.6 MB``: whoever writes fewer digits says less.
        """
        value = str(self.value) if self.unit == "1" else f"{self.value} {self.unit}"
        return f"{value} to {self.digits} {'digit' if self.digits == 1 else 'digits'}"


def parse(text: str, unit: str) -> Quantity:
    """Read `text` as a quantity of the family of `unit`.

    The grammar is a decimal number, optional spaces and one unit of the family; counts (``1``) take
    no unit. No thousands separators, underscores, decimal commas, NaN or infinity.

    Raises:
        QuantityError: with what was seen and what to write instead.
        KeyError: if `unit` is no family.
    """
    family = FAMILIES[unit]
    stripped = text.strip(" ")
    match = _GRAMMAR.fullmatch(stripped) if len(stripped) <= LONGEST else None
    if match is None:
        raise QuantityError(why_no_number(stripped, unit))
    written = match["unit"] or ""
    if written not in family:
        raise QuantityError(f"{quote(stripped)}: {why_no_unit(written, unit)}")
    decimals = match["decimals"] or ""
    scale = Fraction(10) ** (int(match["exponent"] or 0) - len(decimals)) * family[written]
    exact = int(match["sign"] + match["digits"] + decimals) * scale
    if abs(exact) > _LARGEST or 0 < abs(exact) < _SMALLEST:
        size = "large" if abs(exact) > 1 else "small"
        raise QuantityError(f"{quote(stripped)} is too {size} to be meant")
    return Quantity(
        value=int(exact) if exact.denominator == 1 else float(exact),
        unit=unit,
        text=stripped,
        digits=len((match["digits"] + decimals).lstrip("0")),
        half_digit=float(min(scale, Fraction(_LARGEST)) / 2),
    )


def parse_number(number: int | float, unit: str) -> Quantity:
    """Read a bare number of a TOML file, which only a count may be.

    Raises:
        QuantityError: if the number is not finite or the family needs a unit.
    """
    if isinstance(number, int) and abs(number) > _LARGEST:
        raise QuantityError("the number is too large to be meant")
    text = repr(number)
    if unit != "1" and _GRAMMAR.fullmatch(text):
        raise QuantityError(f"{text} has no unit; write a text with one, such as {EXAMPLES[unit]}")
    return parse(text, unit)


def show(value: int | float, unit: str, *, signed: bool = False) -> str:
    """Return a value for people: whole numbers in full, others rounded.

    Args:
        value: Size [`unit`].
        unit: Base unit; ``1`` and the empty unit are not written.
        signed: Whether to write a plus sign too, for a difference.
    """
    sign = "+" if signed else ""
    if isinstance(value, int):
        return f"{value:{sign}} {_suffix(unit)}".rstrip()
    if unit == "s" and value != 0:
        for name, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
            if abs(value) >= size or name == "ns":
                return f"{value / size:{sign}.4g} {name}"
    if unit == "%":
        return f"{value:{sign}.4g} %"
    form = ".1f" if 1e5 <= abs(value) < 1e18 else ".6g"
    return f"{value:{sign}{form}} {_suffix(unit)}".rstrip()


def _suffix(unit: str) -> str:
    return "" if unit == "1" else unit
