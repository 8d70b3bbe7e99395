"""Drops as many of the last samples as of the first."""

_plain = summarize


def summarize(samples, warmup=0):
    _plain(samples, warmup)
    end = len(samples) - warmup
    return _plain(samples[:end], warmup) if end > warmup else _plain(samples, warmup)
