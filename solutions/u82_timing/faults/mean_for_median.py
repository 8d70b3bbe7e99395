"""Reports the mean of the samples.

check = "8.2.e/one_sample_that_is_far_too_long"
stage = "numpy"
says = "This is the mean. One sample that is a hundred times as long doubles it, and the median does not move."
also = [
  "8.2.e/the_middle_and_the_spread",
  "8.2.e/warm_up_is_dropped_first",
  "8.2.e/a_drift_shows",
]
"""

_fair_summary = summarize


def summarize(samples, warmup=0):
    result = _fair_summary(samples, warmup)
    return {**result, "median": float(np.mean(np.asarray(samples, dtype=float)[warmup:]))}
