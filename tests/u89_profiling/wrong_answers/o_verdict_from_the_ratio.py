"""Decides about the speed by the ratio, not by the interval."""

_by_interval = _speed


def _speed(old, new, seed):
    s = _by_interval(old, new, seed)
    r = s["ratio"]
    return {**s, "verdict": "gain" if r > 1.02 else "slower" if r < 1 / 1.02 else "null"}
