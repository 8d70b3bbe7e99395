"""Reports the total of a range as its self time.

check = "8.9.a/nested_events"
stage = "numpy"
says = "This is what adding totals gives: the root already contains everything below it, so the column sums to far more than the trace. Take the children out of their parent."
# every trace with a nested range shows it
# the checks of many cases have this one among them
also = ["8.9.a/threads_recursion_and_zero_length", "8.9.a/shared_edges_and_equal_ranges"]
"""

_nested_self_total = self_total


def self_total(events):
    table = _nested_self_total(events)
    return {name: {**row, "self": row["total"]} for name, row in table.items()}
