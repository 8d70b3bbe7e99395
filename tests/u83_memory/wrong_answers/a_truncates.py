"""Cuts fractions of a byte off instead of rounding."""

_a_truncates = to_bytes


def to_bytes(size):
    if isinstance(size, str):
        _a_truncates(size)
        number, unit = re.fullmatch(r"\s*([\d.eE+-]+?)\s*([A-Za-z]+)\s*", size).groups()
        return int(Fraction(number) * UNITS[unit])
    return _a_truncates(size)
