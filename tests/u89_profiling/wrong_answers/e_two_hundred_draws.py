"""Draws 200 times instead of at least 1000."""

_thousand = paired_bootstrap


def paired_bootstrap(a, b, seed):
    r = _thousand(a, b, seed)
    ratios = np.asarray(a, float) / np.asarray(b, float)
    drawn = np.random.default_rng(seed).integers(0, len(ratios), (200, len(ratios)))
    low, high = np.percentile(np.median(ratios[drawn], axis=1), [0.5, 99.5])
    return {**r, "low": float(low), "high": float(high)}
