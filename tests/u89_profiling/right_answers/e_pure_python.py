"""random.Random, statistics.median, 1000 draws, percentiles of the nearest rank below and above."""

import random, statistics


def paired_bootstrap(a, b, seed):
    if len(a) != len(b) or not len(a) or any(not (0 < x < math.inf) for x in [*a, *b]):
        raise ValueError
    r = [x / y for x, y in zip(a, b)]
    rng = random.Random(seed)
    m = sorted(statistics.median(rng.choices(r, k=len(r))) for _ in range(1000))
    low, high = m[math.floor(0.005 * 999)], m[math.ceil(0.995 * 999)]
    v = "inconclusive"
    if len(r) >= 20:
        v = (
            "gain"
            if low > 1.02
            else "slower"
            if high < 1 / 1.02
            else "null"
            if low >= 1 / 1.05 and high <= 1.05
            else v
        )
    return {"ratio": statistics.median(r), "low": low, "high": high, "verdict": v}
