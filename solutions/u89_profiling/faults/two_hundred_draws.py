"""Draws 200 times.

check = "8.9.e/interval_of_many_seeds"
stage = "numpy"
says = "So few draws have only one median beyond each end, so the ends jump from seed to seed. Draw 2000 times or more."
"""

_thousand = paired_bootstrap


def paired_bootstrap(a, b, seed):
    r = _thousand(a, b, seed)
    ratios = np.asarray(a, float) / np.asarray(b, float)
    drawn = np.random.default_rng(seed).integers(0, len(ratios), (200, len(ratios)))
    low, high = np.percentile(np.median(ratios[drawn], axis=1), [0.5, 99.5])
    return {**r, "low": float(low), "high": float(high)}
