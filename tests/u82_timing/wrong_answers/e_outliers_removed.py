"""Drops samples that are far from the middle."""

_plain = summarize


def summarize(samples, warmup=0):
    result = _plain(samples, warmup)
    kept = [value for value in samples[warmup:] if value <= 5 * result["median"]]
    return {**_plain(kept or samples, 0 if kept else warmup), "drift": result["drift"]}
