"""Takes a range for a child only if it starts later and ends earlier (or is equal); a child that shares one edge with its parent stays outside."""


def self_total(events):
    table = {}
    for e in events:
        if not (math.isfinite(e["start"]) and math.isfinite(e["end"])) or e["end"] < e["start"]:
            raise ValueError("bad event")
        table.setdefault(e["name"], {"self": 0, "total": 0, "count": 0})

    def inside(i, o):
        a, b = events[i], events[o]
        if i == o or a["thread"] != b["thread"]:
            return False
        if (a["start"], a["end"]) == (b["start"], b["end"]):
            return o < i
        return b["start"] < a["start"] and a["end"] < b["end"]

    for i, a in enumerate(events):
        for j, b in enumerate(events):
            if a["thread"] == b["thread"] and a["start"] < b["start"] < a["end"] < b["end"]:
                raise ValueError("crossing")
    for i, e in enumerate(events):
        d = e["end"] - e["start"]
        around = [o for o in range(len(events)) if inside(i, o)]
        row = table[e["name"]]
        row["count"] += 1
        row["self"] += d
        if around:
            parent = min(around, key=lambda o: (events[o]["end"] - events[o]["start"], -o))
            table[events[parent]["name"]]["self"] -= d
        if all(events[o]["name"] != e["name"] for o in around):
            row["total"] += d
    return table
