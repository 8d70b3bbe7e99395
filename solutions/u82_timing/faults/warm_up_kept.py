"""Keeps the warm-up among the samples.

check = "8.2.e/warm_up_is_dropped_first"
stage = "numpy"
says = "The warm-up is still among the samples. Drop it before anything is computed."
also = [
  "8.2.e/a_drift_shows",
]
"""

_fair_summary = summarize


def summarize(samples, warmup=0):
    _fair_summary(samples, warmup)
    return _fair_summary(samples, 0)
