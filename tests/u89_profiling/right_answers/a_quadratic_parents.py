"""Finds each parent by looking at all events; in place on a copy; floats throughout."""


def self_total(events):
    es = [
        (float(e["start"]), float(e["end"]), e["name"], e["thread"], i)
        for i, e in enumerate(events)
    ]
    if any(not math.isfinite(a + b) or b < a for a, b, *_ in es):
        raise ValueError

    def holds(o, e):
        if o[3] != e[3] or o[4] == e[4] or o[0] > e[0] or e[1] > o[1]:
            return False
        if o[:2] == e[:2]:
            return o[4] < e[4]
        return True

    for o in es:
        for e in es:
            if o[3] == e[3] and o[0] < e[0] < o[1] < e[1]:
                raise ValueError("cross")
    out = {}
    for e in es:
        r = out.setdefault(e[2], {"count": 0, "total": 0.0, "self": 0.0})
        r["count"] += 1
        r["self"] += e[1] - e[0]
        over = [o for o in es if holds(o, e)]
        if over:
            p = max(over, key=lambda o: (o[0] - o[1], o[4]))
            out.setdefault(p[2], {"count": 0, "total": 0.0, "self": 0.0})["self"] -= e[1] - e[0]
        if e[2] not in {o[2] for o in over}:
            r["total"] += e[1] - e[0]
    return out
