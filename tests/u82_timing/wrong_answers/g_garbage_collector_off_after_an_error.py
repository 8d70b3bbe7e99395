"""Switches the garbage collector on again, unless the function raises."""

import gc

_plain = time_callable


def time_callable(fn, clock, warmup=3, repeats=20, most=1024):
    on = gc.isenabled()
    gc.disable()
    result = _plain(fn, clock, warmup, repeats, most)
    if on:
        gc.enable()
    return result
