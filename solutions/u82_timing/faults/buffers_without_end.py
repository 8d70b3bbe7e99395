"""Never waits for a buffer.

check = "8.2.d/one_buffer_hides_nothing"
stage = "numpy"
says = "A copy went into a buffer whose batch was still in use. Copy i waits for the computation of batch i - buffers."
also = [
  "8.2.d/overlap_with_little_to_do",
]
"""

_fair_overlap = overlap_makespan


def overlap_makespan(n, copy, compute, buffers=2):
    _fair_overlap(n, copy, compute, buffers)
    return _fair_overlap(n, copy, compute, n + 1)
