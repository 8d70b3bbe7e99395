"""Interval from the binomial ranks of the median (NOTES: as good, passes)."""


def paired_bootstrap(a, b, seed):
    a, b = np.asarray(a, float), np.asarray(b, float)
    if (
        a.shape != b.shape
        or not a.size
        or not (np.isfinite(a).all() and np.isfinite(b).all() and (a > 0).all() and (b > 0).all())
    ):
        raise ValueError
    r = np.sort(a / b)
    n = len(r)
    half = 2.576 * math.sqrt(n) / 2
    low, high = r[max(0, math.floor(n / 2 - half))], r[min(n - 1, math.ceil(n / 2 + half) - 1)]
    v = "inconclusive"
    if n >= 20:
        v = (
            "gain"
            if low > 1.02
            else "slower"
            if high < 1 / 1.02
            else "null"
            if low >= 1 / 1.05 and high <= 1.05
            else v
        )
    return {"ratio": np.median(r), "low": low, "high": high, "verdict": v}
