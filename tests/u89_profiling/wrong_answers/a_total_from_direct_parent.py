"""Leaves recursion out of the total only if the direct parent has the same name."""


def self_total(events):
    table, threads = {}, {}
    for event in events:
        start, end = event["start"], event["end"]
        if not (math.isfinite(start) and math.isfinite(end)) or end < start:
            raise ValueError("bad event")
        threads.setdefault(event["thread"], []).append((start, -end, event["name"]))
        table.setdefault(event["name"], {"self": 0, "total": 0, "count": 0})
    for ranges in threads.values():
        stack = []
        for start, minus_end, name in sorted(ranges, key=lambda item: item[:2]):
            end = -minus_end
            while stack and stack[-1][0] <= start:
                stack.pop()
            if stack and end > stack[-1][0]:
                raise ValueError("crossing")
            row = table[name]
            row["count"] += 1
            row["self"] += end - start
            if stack:
                table[stack[-1][1]]["self"] -= end - start
            if not stack or stack[-1][1] != name:
                row["total"] += end - start
            stack.append((end, name))
    return table
