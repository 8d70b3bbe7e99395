"""Tells more than was asked for, in a tuple."""

def compile_log(calls, dynamic=None, limit=8, _right=compile_log):
    log = _right(calls, dynamic, limit)
    return tuple({**entry, "number": number} for number, entry in enumerate(log))
