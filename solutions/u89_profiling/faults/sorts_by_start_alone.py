"""Sorts the ranges by their start alone.

check = "8.9.a/shared_edges_and_equal_ranges"
stage = "numpy"
says = "Two ranges start together and the inner one became the parent. Sort by start, and by falling end where starts are equal."
"""


def self_total(events):
    table, threads = {}, {}
    for event in events:
        start, end = event["start"], event["end"]
        if not (math.isfinite(start) and math.isfinite(end)) or end < start:
            raise ValueError("bad event")
        threads.setdefault(event["thread"], []).append((start, end, event["name"]))
        table.setdefault(event["name"], {"self": 0, "total": 0, "count": 0})
    for ranges in threads.values():
        stack = []
        for start, end, name in sorted(ranges, key=lambda item: item[0]):
            while stack and stack[-1][0] <= start:
                stack.pop()
            if stack and end > stack[-1][0]:
                raise ValueError("crossing")
            row = table[name]
            row["count"] += 1
            row["self"] += end - start
            if stack:
                table[stack[-1][1]]["self"] -= end - start
            if all(name != outer for _, outer in stack):
                row["total"] += end - start
            stack.append((end, name))
    return table
