"""Seeds and uses NumPy's global generator.

check = "8.9.e/intervals_on_both_sides_of_each_line"
stage = "numpy"
says = "NumPy's global generator was seeded. Whoever called you and draws from it gets the same numbers over and over; use np.random.default_rng(seed)."
"""

_own_generator = paired_bootstrap


def paired_bootstrap(a, b, seed):
    r = _own_generator(a, b, seed)
    np.random.seed(seed % 2**32)
    ratios = np.asarray(a, float) / np.asarray(b, float)
    drawn = np.random.randint(0, len(ratios), (2000, len(ratios)))
    low, high = np.percentile(np.median(ratios[drawn], axis=1), [0.5, 99.5])
    return {**r, "low": float(low), "high": float(high)}
