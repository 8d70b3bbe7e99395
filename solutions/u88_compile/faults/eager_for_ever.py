"""Runs everything eagerly once the limit was met.

check = "8.8.c/a_full_cache"
stage = "numpy"
says = "After the limit a call was eager although an entry fits it. The cache is full, not closed."
"""


def compile_log(calls, dynamic=None, limit=8, _right=compile_log):
    log = _right(calls, dynamic, limit)
    closed = False
    for entry in log:
        closed = closed or entry["action"] == "eager"
        if closed:
            entry["action"] = "eager"
    return log
