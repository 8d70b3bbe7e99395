"""Calls what is neither a gain nor slower a null result, however wide the interval."""

_four_verdicts = _speed


def _speed(old, new, seed):
    found = _four_verdicts(old, new, seed)
    if found["verdict"] == "inconclusive" and len(old) >= 20 and found["high"] < 1.08:
        found["verdict"] = "null"
    return found
