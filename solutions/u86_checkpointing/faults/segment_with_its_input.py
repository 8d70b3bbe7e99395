"""Counts the input of a segment among its outputs, and leaves out the last output.

check = "8.6.e/what_is_kept"
stage = "numpy"
says = "In the largest segment the inputs of its layers were added up. The first of them is stored already; the outputs are what comes on top."
# the same result is looked at there
also = [
  "8.6.e/a_chain_measured_just_now",
  "8.6.e/sizes_beyond_int64",
]
"""

_outputs_counted = chain_counts


def chain_counts(sizes, segments):
    counts = _outputs_counted(sizes, segments)
    segment = max(sum(sizes[a:b]) for a, b in segment_spans(len(sizes) - 1, segments))
    return {**counts, "segment": segment, "peak": counts["stored"] + segment}
