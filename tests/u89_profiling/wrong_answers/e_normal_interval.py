"""Uses the normal formula of a median's error instead of drawing: one outlier blows it up."""

_drawn = paired_bootstrap


def paired_bootstrap(a, b, seed):
    r = _drawn(a, b, seed)
    ratios = np.asarray(a, float) / np.asarray(b, float)
    half = 2.576 * 1.2533 * float(ratios.std()) / math.sqrt(len(ratios))
    low, high = r["ratio"] - half, r["ratio"] + half
    if len(ratios) < 20:
        v = "inconclusive"
    elif low > 1.02:
        v = "gain"
    elif high < 1 / 1.02:
        v = "slower"
    else:
        v = "null" if low >= 1 / 1.05 and high <= 1.05 else "inconclusive"
    return {"ratio": r["ratio"], "low": low, "high": high, "verdict": v}
