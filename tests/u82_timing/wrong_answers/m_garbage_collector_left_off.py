"""Switches the garbage collector off while it times, and leaves it off after an error."""

import gc

_plain = closed_book_timers


def closed_book_timers(prepare, fn, clock):
    gc.disable()
    result = _plain(prepare, fn, clock)
    gc.enable()
    return result
