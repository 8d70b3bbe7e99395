"""Takes 2 % for the lines of a null result as well."""

_five_percent = _speed


def _speed(old, new, seed):
    found = _five_percent(old, new, seed)
    if found["verdict"] == "null" and not 1 / 1.02 <= found["low"] <= found["high"] <= 1.02:
        found["verdict"] = "inconclusive"
    return found
