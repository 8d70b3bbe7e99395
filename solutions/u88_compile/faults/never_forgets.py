"""Does not reset, so that earlier compilations count.

check = "8.8.f/counts_call_by_call"
stage = "torch"
says = "What was compiled before still counts: torch remembers sizes and graphs of a function. Reset first."
"""


def compile_counts(fn, calls, dynamic=None):
    counter = _Counter()
    compiled = torch.compile(fn, backend=counter, dynamic=dynamic)
    counts = {"compiled": [], "ran": []}
    for args in calls:
        graphs, runs = counter.graphs, counter.runs
        compiled(*args)
        counts["compiled"].append(counter.graphs - graphs)
        counts["ran"].append(counter.runs - runs)
    return counts
