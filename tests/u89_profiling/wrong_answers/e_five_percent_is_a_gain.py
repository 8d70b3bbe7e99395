"""Asks for 5 % instead of 2 % before it says gain."""

_two = paired_bootstrap


def paired_bootstrap(a, b, seed):
    r = _two(a, b, seed)
    if r["verdict"] == "gain" and r["low"] <= 1.05:
        r["verdict"] = "null" if r["high"] <= 1.05 else "inconclusive"
    return r
