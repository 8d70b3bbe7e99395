"""Gives the largest number for a NaN as well where overflow saturates."""

_b_nan_stays = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    values = np.asarray(values, dtype=np.float64)
    known = np.where(np.isnan(values) & saturate, np.copysign(np.inf, values), values)
    return _b_nan_stays(known, exponent, mantissa, infinity, saturate)
