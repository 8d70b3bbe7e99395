"""Calculates with Decimal, whose products keep 28 digits unless it is told otherwise."""

from decimal import Decimal

_a_exact = to_bytes


def to_bytes(size):
    whole = _a_exact(size)
    if not isinstance(size, str):
        return whole
    number, unit = re.fullmatch(r"\s*([\d.eE+-]+?)\s*([A-Za-z]+)\s*", size).groups()
    return int((Decimal(number) * UNITS[unit]).to_integral_value())
