"""Takes the longer of the two sums, as if nothing stuck out.

check = "8.2.d/live_uploads"
stage = "numpy"
says = "The longer of both sums was taken. The first copy has nothing to hide behind, and neither has the last computation."
source = "lnccbrown/LANfactory PR#120"
also = [
  "8.2.d/copies_hide_behind_computation",
  "8.2.d/one_buffer_hides_nothing",
  "8.2.d/overlap_with_little_to_do",
]
"""

_fair_overlap = overlap_makespan


def overlap_makespan(n, copy, compute, buffers=2):
    result = _fair_overlap(n, copy, compute, buffers)
    overlapped = max(sum(_each(n, copy)), sum(_each(n, compute)))
    return {
        **result,
        "overlapped": overlapped,
        "idle": overlapped - sum(_each(n, compute)),
        "speedup": result["serial"] / overlapped if overlapped else 1.0,
    }
