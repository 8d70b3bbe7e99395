"""Takes quartiles of a population, not those of NumPy."""

import statistics

_plain = summarize


def summarize(samples, warmup=0):
    result = _plain(samples, warmup)
    kept = [float(value) for value in samples[warmup:]]
    if len(kept) < 2:
        return result
    q1, _, q3 = statistics.quantiles(kept, n=4)
    return {**result, "q1": q1, "q3": q3, "iqr": q3 - q1}
