"""Uses 0.98 and 0.95 instead of 1 / 1.02 and 1 / 1.05."""

_lines = paired_bootstrap


def paired_bootstrap(a, b, seed):
    r = _lines(a, b, seed)
    if len(a) >= 20:
        low, high = r["low"], r["high"]
        r["verdict"] = (
            "gain"
            if low > 1.02
            else "slower"
            if high < 0.98
            else "null"
            if low >= 0.95 and high <= 1.05
            else "inconclusive"
        )
    return r
