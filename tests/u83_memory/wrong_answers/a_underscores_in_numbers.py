"""Reads text with int() or float(), which take "nan", "inf" and "1_000"."""

def to_bytes(size):
    if not isinstance(size, str):
        return _count(size, "a size")
    text = size.strip()
    for unit in sorted(UNITS, key=len, reverse=True):
        if text.endswith(unit):
            number = text[: -len(unit)]
            try:
                return round(Fraction(number) * UNITS[unit])
            except ValueError:
                return int(float(number) * UNITS[unit])
    raise ValueError(size)
