"""Holds the values of every call against the first ones, not those of a compile alone."""

_plain = compile_log


def compile_log(calls, dynamic=None, limit=8):
    if limit < 1:
        raise ValueError("limit")
    entries, first, changed, log = [], {}, set(), []
    for args in calls:
        for place, value in _seen(args).items():
            if first.setdefault(place, value) != value:
                changed.add(place)
        failures = [guard_failure(example, args, *symbols) for example, *symbols in entries]
        if None in failures:
            log.append({"action": "hit", "reason": None})
            continue
        reason = failures[-1] if failures else None
        if len(entries) >= limit:
            log.append({"action": "eager", "reason": reason})
            continue
        possible = _places(args)
        where = {None: possible & changed, True: possible, False: set()}[dynamic]
        sizes = {place for place in where if place[1] is not None}
        entries.append((args, where, sizes - changed))
        log.append({"action": "compile", "reason": reason})
    return log
