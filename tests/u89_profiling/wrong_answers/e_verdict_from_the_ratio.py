"""Decides gain and slower by the ratio, not by the interval: a ratio of 1.1 with any noise is a gain."""

_from_interval = paired_bootstrap


def paired_bootstrap(a, b, seed):
    r = _from_interval(a, b, seed)
    if len(a) >= 20:
        if r["ratio"] > 1.02:
            r["verdict"] = "gain"
        elif r["ratio"] < 1 / 1.02:
            r["verdict"] = "slower"
    return r
