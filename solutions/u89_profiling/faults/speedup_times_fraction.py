"""Adds the speed-up of the part, weighted by its share.

check = "8.9.f/amdahl"
stage = "numpy"
says = "The speed-ups were averaged. Times add up, speed-ups do not: put the new time of the part beside the time of the rest."
# the checks of many cases have this one among them
also = ["8.9.f/amdahl_to_the_ends"]
"""

_by_times = amdahl


def amdahl(fraction, speedup):
    _by_times(fraction, speedup)
    return 1 - fraction + fraction * speedup
