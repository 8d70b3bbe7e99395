"""Computes the medians of the halves in the dtype in which the samples come."""

_plain = summarize


def summarize(samples, warmup=0):
    result = _plain(samples, warmup)
    kept = np.asarray(samples)[warmup:]
    half = len(kept) // 2
    if not half:
        return result
    first, second = float(np.median(kept[:half])), float(np.median(kept[-half:]))
    drift = second / first if first else (math.inf if second else 1.0)
    return {**result, "drift": drift}
