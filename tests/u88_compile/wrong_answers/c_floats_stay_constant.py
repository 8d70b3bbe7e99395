"""With dynamic=True, makes symbols of sizes and ints, and not of floats."""

def compile_log(calls, dynamic=None, limit=8):
    if limit < 1:
        raise ValueError("a cache without room compiles nothing")
    entries, first, changed, log = [], {}, set(), []
    for args in calls:
        failures = [guard_failure(example, args, *symbols) for example, *symbols in entries]
        if None in failures:
            log.append({"action": "hit", "reason": None})
            continue
        reason = failures[-1] if failures else None
        if len(entries) >= limit:
            log.append({"action": "eager", "reason": reason})
            continue
        for place, value in _seen(args).items():
            if first.setdefault(place, value) != value:
                changed.add(place)
        possible = _places(args)
        every = {p for p in possible if p[1] is not None or type(args[p[0]]) is int}
        where = {None: possible & changed, True: every, False: set()}[dynamic]
        sizes = {place for place in where if place[1] is not None}
        entries.append((args, where, sizes - changed))
        log.append({"action": "compile", "reason": reason})
    return log
