"""Gives the failed guard of the first entry.

check = "8.8.c/why_it_was_compiled"
stage = "numpy"
says = "The reason is that of the first entry. Later entries have symbols: the newest one tells why none fits."
"""


def compile_log(calls, dynamic=None, limit=8, _right=compile_log):
    log = _right(calls, dynamic, limit)
    for entry, args in zip(log, calls, strict=True):
        if entry["reason"] is not None and len(calls[0]) == len(args):
            entry["reason"] = guard_failure(calls[0], args, _seen_first(calls, dynamic))
    return log


def _seen_first(calls, dynamic):
    return _places(calls[0]) if dynamic else ()
