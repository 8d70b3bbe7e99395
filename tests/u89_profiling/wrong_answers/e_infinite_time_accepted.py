"""Accepts an infinite time."""

_finite = paired_bootstrap


def paired_bootstrap(a, b, seed):
    return _finite(
        [min(x, 1e300) if x == x else x for x in a],
        [min(x, 1e300) if x == x else x for x in b],
        seed,
    )
