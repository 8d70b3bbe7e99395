"""Decides about the speed by the ratio, without its interval.

check = "8.9.o/speed_by_the_median_and_its_interval"
stage = "torch"
says = "The ratio alone decided. The pairs do not agree with each other, and the interval says so."
"""

_interval_verdict_speed = _speed


def _speed(old, new, seed):
    speed = _interval_verdict_speed(old, new, seed)
    if len(old) < 20:
        return speed
    ratio = speed["ratio"]
    verdict = "gain" if ratio > 1.02 else "slower" if ratio < 1 / 1.02 else "null"
    return {**speed, "verdict": verdict}
