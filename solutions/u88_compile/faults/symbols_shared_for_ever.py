"""Shares symbols of sizes that had changed already.

check = "8.8.c/what_torch_does"
stage = "numpy"
says = "With dynamic=True a size that had changed before was compiled as sharing its symbol. torch gives it one of its own."
"""


def guard_failure(example, args, dynamic=(), shared=(), _right=guard_failure):
    return _right(example, args, dynamic, shared)


def compile_log(calls, dynamic=None, limit=8, _right=compile_log):
    if dynamic is not True:
        return _right(calls, dynamic, limit)
    entries, log = [], []
    for args in calls:
        failures = [guard_failure(example, args, *symbols) for example, *symbols in entries]
        if None in failures:
            log.append({"action": "hit", "reason": None})
            continue
        reason = failures[-1] if failures else None
        full = len(entries) >= limit
        log.append({"action": "eager" if full else "compile", "reason": reason})
        if not full:
            where = _places(args)
            entries.append((args, where, {place for place in where if place[1] is not None}))
    return log
