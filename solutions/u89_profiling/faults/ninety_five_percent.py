"""Uses a 95 % interval.

check = "8.9.e/interval_of_many_seeds"
stage = "numpy"
says = "The interval is as wide as a 95 % one. One comparison of code with itself in twenty would then be called a gain."
"""

_ninety_nine = paired_bootstrap


def paired_bootstrap(a, b, seed):
    result = _ninety_nine(a, b, seed)
    ratios = np.asarray(a, dtype=float) / np.asarray(b, dtype=float)
    drawn = np.random.default_rng(seed).integers(0, len(ratios), (2000, len(ratios)))
    low, high = np.percentile(np.median(ratios[drawn], axis=1), [2.5, 97.5])
    return {**result, "low": float(low), "high": float(high)}
