"""Reports the mean as the median.

check = "8.2.g/median_and_spread_of_the_samples"
stage = "torch"
says = "This is the mean. One sample that was disturbed moves it, and the median stays."
"""

_fair_timer = time_callable


def time_callable(fn, clock, warmup=3, repeats=20, most=1024):
    result = _fair_timer(fn, clock, warmup, repeats, most)
    return {**result, "median": sum(result["samples"]) / repeats}
