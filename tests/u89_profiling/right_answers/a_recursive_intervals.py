"""Recursion over intervals, a defaultdict for the answer."""

from collections import defaultdict


def self_total(events):
    for e in events:
        if not (e["end"] >= e["start"]) or math.isinf(e["start"]) or math.isinf(e["end"]):
            raise ValueError(e)
    table = defaultdict(lambda: dict(total=0, self=0, count=0))
    by = defaultdict(list)
    for e in events:
        by[e["thread"]].append(e)

    def walk(rs, high, outer):
        used = 0
        while rs and rs[0]["start"] < high:
            e = rs.pop(0)
            if e["end"] > high:
                raise ValueError("crossing")
            d = e["end"] - e["start"]
            used += d
            inner = walk(rs, e["end"], outer | {e["name"]})
            row = table[e["name"]]
            row["count"] += 1
            row["self"] += d - inner
            if e["name"] not in outer:
                row["total"] += d
        return used

    for rs in by.values():
        walk(sorted(rs, key=lambda e: (e["start"], -e["end"])), math.inf, frozenset())
    return table
