"""Takes the difference of two neighbours."""

def ulp(x, exponent, mantissa, infinity=True):
    top = format_limits(exponent, mantissa, infinity)["max"]
    sizes = np.abs(np.asarray(x, dtype=np.float64))
    inside = sizes <= top
    safe = np.where(inside, sizes, 0.0)
    codes = encode(safe, exponent, mantissa, infinity)
    codes = codes - (decode(codes, exponent, mantissa, infinity) > safe)
    first = codes // 2**mantissa * 2**mantissa
    gap = decode(first + 1, exponent, mantissa, infinity) - decode(first, exponent, mantissa, infinity)
    alone = mantissa == 1 and not infinity
    if alone:
        gap = np.where(np.isnan(gap), decode(first, exponent, mantissa, infinity) / 2, gap)
    return np.where(inside, gap, np.nan)
