"""Takes all nested ranges out of a range, not only its direct children.

check = "8.9.a/nested_events"
stage = "numpy"
says = "Grandchildren were subtracted twice: once by themselves and once inside the child that contains them. Only direct children leave the self time."
# three levels are nested there too
# the checks of many cases have this one among them
also = ["8.9.a/threads_recursion_and_zero_length", "8.9.a/shared_edges_and_equal_ranges"]
"""

_direct_self_total = self_total


def self_total(events):
    table = _direct_self_total(events)
    for row in table.values():
        row["self"] = 0
    for i, outer in enumerate(events):
        inside = 0
        for j, inner in enumerate(events):
            same = outer["thread"] == inner["thread"]
            within = outer["start"] <= inner["start"] and inner["end"] <= outer["end"]
            equal = outer["start"] == inner["start"] and outer["end"] == inner["end"]
            if i != j and same and within and (not equal or i < j):
                inside += inner["end"] - inner["start"]
        table[outer["name"]]["self"] += outer["end"] - outer["start"] - inside
    return table
