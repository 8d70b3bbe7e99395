"""NumPy scalars with the warnings off."""


def amdahl(fraction, speedup):
    if not (0 <= fraction <= 1) or math.isnan(speedup) or speedup <= 0:
        raise ValueError
    with np.errstate(divide="ignore"):
        return np.float64(1) / (np.float64(1) - fraction + np.float64(fraction) / speedup)
