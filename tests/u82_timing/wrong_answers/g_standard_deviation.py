"""Reports the standard deviation as the spread."""

import statistics

_plain = time_callable


def time_callable(fn, clock, warmup=3, repeats=20, most=1024):
    result = _plain(fn, clock, warmup, repeats, most)
    return {**result, "iqr": statistics.pstdev(result["samples"])}
