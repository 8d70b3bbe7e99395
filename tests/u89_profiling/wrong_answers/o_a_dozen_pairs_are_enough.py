"""Gives a verdict on the speed from any number of pairs."""

_twenty = _speed


def _speed(old, new, seed):
    s = _twenty(old, new, seed)
    if len(old) < 20:
        s["verdict"] = "gain" if s["low"] > 1.02 else "slower" if s["high"] < 1 / 1.02 else "null"
    return s
