"""Drops the longest samples instead of the first.

check = "8.2.e/warm_up_is_dropped_first"
stage = "numpy"
says = "The longest samples were dropped instead of the first. That hides slow samples that are real."
"""

_fair_summary = summarize


def summarize(samples, warmup=0):
    result = _fair_summary(samples, warmup)
    kept = sorted(samples)[: len(samples) - warmup] if warmup else list(samples)
    return {**_fair_summary(kept, 0), "drift": result["drift"]}
