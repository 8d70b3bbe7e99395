"""Switches the garbage collector off while it times, and on again if all goes well.

check = "8.2.g/the_process_is_left_as_it_was"
stage = "torch"
says = "The garbage collector is still off after the timed function raised. Put settings back in a `finally`."
"""

import gc

_fair_timer = time_callable


def time_callable(fn, clock, warmup=3, repeats=20, most=1024):
    gc.disable()
    result = _fair_timer(fn, clock, warmup, repeats, most)
    gc.enable()
    return result
