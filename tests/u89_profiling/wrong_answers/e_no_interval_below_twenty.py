"""Returns NaN for ratio and interval of few pairs."""

_interval = paired_bootstrap


def paired_bootstrap(a, b, seed):
    r = _interval(a, b, seed)
    if len(a) < 20:
        return {"ratio": math.nan, "low": math.nan, "high": math.nan, "verdict": "inconclusive"}
    return r
