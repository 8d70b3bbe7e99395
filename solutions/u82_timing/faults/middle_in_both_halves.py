"""Counts the sample in the middle to both halves.

check = "8.2.e/a_drift_shows"
stage = "numpy"
says = "The sample in the middle was in a half. With an odd number it belongs to neither."
also = [
  "8.2.e/the_middle_and_the_spread",
  "8.2.e/one_sample_that_is_far_too_long",
  "8.2.e/warm_up_is_dropped_first",
]
"""

_fair_summary = summarize


def summarize(samples, warmup=0):
    result = _fair_summary(samples, warmup)
    kept = np.asarray(samples, dtype=float)[warmup:]
    if len(kept) == 1:
        return result
    half = (len(kept) + 1) // 2
    first, second = np.median(kept[:half]), np.median(kept[-half:])
    return {**result, "drift": second / first if first else (math.inf if second else 1.0)}
