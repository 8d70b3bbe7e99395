"""Counts the chain's output as stored.

check = "8.6.e/a_chain_measured_just_now"
stage = "numpy"
says = "The chain's output was counted as stored. It is nobody's input; it comes up again with the outputs of the last segment."
# the same result is looked at there
also = [
  "8.6.e/what_is_kept",
  "8.6.e/published_peaks",
]
"""

_inputs_alone = chain_counts


def chain_counts(sizes, segments):
    counts = _inputs_alone(sizes, segments)
    stored = counts["stored"] + sizes[-1]
    return {**counts, "stored": stored, "peak": stored + counts["segment"]}
