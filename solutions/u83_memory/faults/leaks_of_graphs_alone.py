"""Looks for graphs alone.

check = "8.3.n/leaks_of_data"
stage = "torch"
says = "A leak without a graph was not seen. A row that holds its table, and an error that holds its frames, are leaks as well."
also = ["8.3.n/every_counted_step_decides", "8.3.n/a_leak_is_not_measured_by_nothing"]
"""

_any_find_leak = find_leak


def find_leak(step, meter, steps=4, warmup=2):
    found = _any_find_leak(step, meter, steps, warmup)
    if found["kind"] == "data":
        return {**found, "leaks": False, "bytes_per_step": 0, "kind": None}
    return found
