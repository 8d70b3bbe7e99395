"""Returns float32: every number of these formats is one."""

_true = decode


def decode(bits, exponent, mantissa, infinity=True):
    with np.errstate(all="ignore"):
        return _true(bits, exponent, mantissa, infinity).astype(np.float32)
