"""Looks for bad times in b alone."""

_both = paired_bootstrap


def paired_bootstrap(a, b, seed):
    a = [x if math.isfinite(x) and x > 0 else 1.0 for x in a]
    return _both(a, b, seed)
