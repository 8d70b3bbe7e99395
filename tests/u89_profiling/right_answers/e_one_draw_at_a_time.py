"""2000 draws with randrange in a plain loop, the slowest way there is."""

import random


def paired_bootstrap(a, b, seed):
    if len(a) != len(b) or not len(a) or any(not (0 < x < math.inf) for x in [*a, *b]):
        raise ValueError("these are no pairs of times")
    ratios = [old / new for old, new in zip(a, b)]
    rng, n = random.Random(seed), len(ratios)

    def median(values):
        ordered = sorted(values)
        return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2

    medians = sorted(median([ratios[rng.randrange(n)] for _ in range(n)]) for _ in range(2000))

    def percentile(q):
        place = q * 1999
        below = int(place)
        return medians[below] + (place - below) * (medians[min(below + 1, 1999)] - medians[below])

    low, high = percentile(0.005), percentile(0.995)
    if n < 20:
        verdict = "inconclusive"
    elif low > 1.02:
        verdict = "gain"
    elif high < 1 / 1.02:
        verdict = "slower"
    elif low >= 1 / 1.05 and high <= 1.05:
        verdict = "null"
    else:
        verdict = "inconclusive"
    return {"ratio": median(ratios), "low": low, "high": high, "verdict": verdict,
            "medians": np.array(medians)}
