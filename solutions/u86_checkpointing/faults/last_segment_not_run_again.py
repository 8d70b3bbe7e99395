"""Leaves the last segment out of what is run again.

check = "8.6.e/every_layer_runs_twice"
stage = "numpy"
says = "The last segment was taken to be kept from the forward. Here every segment is run again, the last one too."
# the same result is looked at there
also = [
  "8.6.e/a_chain_measured_just_now",
  "8.6.e/sizes_beyond_int64",
]
"""

_all_run_again = chain_counts


def chain_counts(sizes, segments):
    counts = _all_run_again(sizes, segments)
    n = len(sizes) - 1
    start, end = segment_spans(n, segments)[-1]
    return {**counts, "recomputed": n - (end - start), "forwards": 2 * n - (end - start)}
