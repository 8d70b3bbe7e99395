"""Compares two means and calls the larger one slower.

check = "8.9.o/gain_or_null"
stage = "torch"
says = "Two means were compared. One of them is always the smaller, also for the same code twice: that is noise, not a gain."
# the pairs of the other check are judged by their means as well
also = ["8.9.o/speed_by_the_median_and_its_interval"]
"""

_interval_speed = _speed


def _speed(old, new, seed):
    speed = _interval_speed(old, new, seed)
    faster = sum(old) / len(old) > sum(new) / len(new)
    return {**speed, "verdict": "gain" if faster else "slower"}
