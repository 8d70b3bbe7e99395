"""Draws the two sides independently.

check = "8.9.e/ratio_and_interval"
stage = "numpy"
says = "Old and new times were drawn independently, so the drift of the machine is in the interval. Draw pairs."
# the checks of many cases have this one among them
also = ["8.9.e/interval_of_many_seeds", "8.9.e/intervals_on_both_sides_of_each_line"]
"""

_resampled_pairs = paired_bootstrap


def paired_bootstrap(a, b, seed):
    result = _resampled_pairs(a, b, seed)
    rng = np.random.default_rng(seed)
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    left, right = (x[rng.integers(0, len(x), (2000, len(x)))] for x in (a, b))
    ratios = np.median(left, axis=1) / np.median(right, axis=1)
    low, high = (float(x) for x in np.percentile(ratios, [0.5, 99.5]))
    return {**result, "low": low, "high": high}
