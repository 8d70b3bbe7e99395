"""Does not count the chain's own input as stored.

check = "8.6.e/what_is_kept"
stage = "numpy"
says = "The input of the first segment is missing: it is the chain's own input, and it stays in memory like the others."
# the same result is looked at there
also = [
  "8.6.e/a_chain_measured_just_now",
  "8.6.e/published_peaks",
]
"""

_all_inputs = chain_counts


def chain_counts(sizes, segments):
    counts = _all_inputs(sizes, segments)
    stored = counts["stored"] - sizes[0]
    return {**counts, "stored": stored, "peak": stored + counts["segment"]}
