"""Lets a range on one thread be the child of a range on another.

check = "8.9.a/threads_recursion_and_zero_length"
stage = "numpy"
says = "A range on a worker thread was taken out of the main thread that happened to be open at that time. Threads run at the same time: build one stack a thread."
# the checks of many cases have this one among them
also = ["8.9.a/shared_edges_and_equal_ranges"]
"""

_threaded_self_total = self_total


def self_total(events):
    table = _threaded_self_total(events)
    for outer in events:
        for inner in events:
            apart = outer["thread"] != inner["thread"]
            if apart and outer["start"] <= inner["start"] and inner["end"] <= outer["end"]:
                table[outer["name"]]["self"] -= inner["end"] - inner["start"]
    return table
