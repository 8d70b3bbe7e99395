"""Turns the number of a size into a float.

check = "8.3.a/every_digit_counts"
stage = "numpy"
says = "This is what a float makes of the number: it has 53 bits, and a long number loses its last digits."
"""

_exact_to_bytes = to_bytes


def to_bytes(size):
    _exact_to_bytes(size)
    if not isinstance(size, str):
        return int(float(size))
    number, unit = re.fullmatch(r"\s*([\d.eE+-]+)\s*([A-Za-z]+)\s*", size).groups()
    return round(float(number) * UNITS[unit])
