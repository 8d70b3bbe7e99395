"""Divides by the first half's median, whatever it is.

check = "8.2.e/a_drift_shows"
stage = "numpy"
says = "Samples of 0 in the first half ended in a division by zero. The drift is infinite then, or 1.0 if the second half is 0, too."
"""

_fair_summary = summarize


def summarize(samples, warmup=0):
    result = _fair_summary(samples, warmup)
    kept = [float(value) for value in samples[warmup:]]
    half = len(kept) // 2
    if half and not np.median(kept[:half]):
        return {**result, "drift": math.nan}
    return result
