"""Compares the graphs at the end with those at the beginning.

check = "8.3.n/every_counted_step_decides"
stage = "torch"
says = "A graph that was left once made the whole leak a leak of graphs. What leaks with every step is what every step leaves."
"""

_each_find_leak = find_leak


def find_leak(step, meter, steps=4, warmup=2):
    plain, counts = _graph_holders, []

    def counted():
        counts.append(plain())
        return counts[-1]

    globals()["_graph_holders"] = counted
    try:
        found = _each_find_leak(step, meter, steps, warmup)
    finally:
        globals()["_graph_holders"] = plain
    if found["leaks"]:
        found["kind"] = "graph" if counts[-1] > counts[0] else "data"
    return found
