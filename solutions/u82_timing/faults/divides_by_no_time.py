"""Divides by the time without a look whether there is any.

check = "8.2.d/overlap_with_little_to_do"
stage = "numpy"
says = "No batches, or batches that take no time, ended in a division by zero. The speed-up is 1.0 then."
"""

_fair_overlap = overlap_makespan


def overlap_makespan(n, copy, compute, buffers=2):
    result = _fair_overlap(n, copy, compute, buffers)
    return {**result, "speedup": result["serial"] / result["overlapped"]}
