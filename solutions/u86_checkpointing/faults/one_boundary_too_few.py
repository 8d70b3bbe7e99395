"""Stores what lies between the segments, k - 1 inputs, and adds a segment to it.

check = "8.6.e/published_peaks"
stage = "numpy"
says = "One input is missing in the peak: k segments have k inputs, not k - 1."
# the same result is looked at there
also = [
  "8.6.e/what_is_kept",
  "8.6.e/a_chain_measured_just_now",
]
"""

_k_inputs = chain_counts


def chain_counts(sizes, segments):
    counts = _k_inputs(sizes, segments)
    return {**counts, "peak": counts["peak"] - sizes[0]}
