"""Takes as many of the times as there are in the shorter list.

check = "8.2.d/overlap_that_makes_no_sense"
stage = "numpy"
says = "Lists of another length than n were accepted, and some batches were left out silently."
"""

_fair_overlap = overlap_makespan


def overlap_makespan(n, copy, compute, buffers=2):
    lists = [times for times in (copy, compute) if np.ndim(times)]
    n = min([n, *map(len, lists)])
    short = [times[:n] if np.ndim(times) else times for times in (copy, compute)]
    return _fair_overlap(n, *short, buffers)
