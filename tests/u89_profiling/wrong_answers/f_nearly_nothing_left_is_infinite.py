"""Says infinite as soon as less than 1e-6 is left."""

_exact = amdahl


def amdahl(fraction, speedup):
    v = _exact(fraction, speedup)
    return math.inf if v > 1e6 else v
