"""Computes the limits of all formats in float32.

check = "8.4.d/limits_that_torch_knows"
stage = "numpy"
says = "The limits of float64 do not fit in float32. Use Python's floats, and math.ldexp instead of a power that overflows on the way."
"""

_exact_limits = format_limits


def format_limits(exponent, mantissa, infinity=True):
    limits = _exact_limits(exponent, mantissa, infinity)
    with np.errstate(over="ignore"):
        return {name: float(np.float32(value)) for name, value in limits.items()}
