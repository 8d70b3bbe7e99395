"""Adds up the durations of all ranges of a name, also of those inside each other.

check = "8.9.a/threads_recursion_and_zero_length"
stage = "numpy"
says = "A range inside a range of the same name was counted twice in the total. Time is open or it is not: count it once."
# the checks of many cases have this one among them
also = ["8.9.a/shared_edges_and_equal_ranges"]
"""

_once_self_total = self_total


def self_total(events):
    table = _once_self_total(events)
    for name, row in table.items():
        row["total"] = sum(e["end"] - e["start"] for e in events if e["name"] == name)
    return table
