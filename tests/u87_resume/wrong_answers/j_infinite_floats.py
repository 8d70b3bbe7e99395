"""Takes the difference of infinite floats, which is none."""

_right_gap = _gap


def _gap(a, b, tolerance):
    if type(a) is float and type(b) is float and not (a != a or b != b):
        scale = max(abs(a), abs(b))
        gap = abs(a - b) / scale if scale and scale != math.inf else (0.0 if not scale else math.inf)
        return abs(a - b) <= tolerance * scale, gap
    return _right_gap(a, b, tolerance)


import math
