"""Gives Python integers where a number is whole."""

_plain = summarize


def summarize(samples, warmup=0):
    return {
        key: int(value) if math.isfinite(value) and value == int(value) else value
        for key, value in _plain(samples, warmup).items()
    }
