"""Switches the garbage collector off while it times, and leaves it off."""

import gc

_plain = time_callable


def time_callable(fn, clock, warmup=3, repeats=20, most=1024):
    gc.disable()
    return _plain(fn, clock, warmup, repeats, most)
