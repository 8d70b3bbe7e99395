"""Takes the 1 and 99 percentiles: a 98 % interval."""

_ninety_nine = paired_bootstrap


def paired_bootstrap(a, b, seed):
    r = _ninety_nine(a, b, seed)
    ratios = np.asarray(a, float) / np.asarray(b, float)
    drawn = np.random.default_rng(seed).integers(0, len(ratios), (2000, len(ratios)))
    low, high = np.percentile(np.median(ratios[drawn], axis=1), [1, 99])
    return {**r, "low": float(low), "high": float(high)}
