"""Is inconclusive on 20 pairs too."""

_twenty = paired_bootstrap


def paired_bootstrap(a, b, seed):
    r = _twenty(a, b, seed)
    return {**r, "verdict": "inconclusive"} if len(a) <= 20 else r
