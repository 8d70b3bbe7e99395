"""Starts a copy only when the computation before it has ended.

check = "8.2.d/copies_hide_behind_computation"
stage = "numpy"
says = "Each copy waited for the computation before it. With two buffers it waits for the one before that."
also = [
  "8.2.d/one_buffer_hides_nothing",
  "8.2.d/overlap_with_little_to_do",
  "8.2.d/live_uploads",
]
"""

_fair_overlap = overlap_makespan


def overlap_makespan(n, copy, compute, buffers=2):
    _fair_overlap(n, copy, compute, buffers)
    return _fair_overlap(n, copy, compute, 1)
