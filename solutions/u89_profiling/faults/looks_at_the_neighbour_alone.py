"""Looks for crossing only between neighbours in the order of starts.

check = "8.9.a/every_impossible_trace"
stage = "numpy"
says = "A range that crosses its grandparent got through. Hold the end against the innermost range that is still open, not against the range listed before."
"""

_checked = self_total


def self_total(events):
    try:
        return _checked(events)
    except ValueError:
        table, last = {}, {}
        for e in sorted(events, key=lambda e: (e["start"], -e["end"])):
            if not (math.isfinite(e["start"]) and math.isfinite(e["end"])) or e["end"] < e["start"]:
                raise
            before = last.get(e["thread"])
            if before and before["start"] < e["start"] < before["end"] < e["end"]:
                raise
            last[e["thread"]] = e
            row = table.setdefault(e["name"], {"self": 0, "total": 0, "count": 0})
            row["count"] += 1
        return table
