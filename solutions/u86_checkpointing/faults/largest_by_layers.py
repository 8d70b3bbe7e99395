"""Takes the segment with the most layers for the largest.

check = "8.6.e/what_is_kept"
stage = "numpy"
says = "The segment with the most layers was taken. The one with the most bytes is asked for."
# the same result is looked at there
also = [
  "8.6.e/a_chain_measured_just_now",
]
"""

_by_bytes = chain_counts


def chain_counts(sizes, segments):
    counts = _by_bytes(sizes, segments)
    start, end = max(segment_spans(len(sizes) - 1, segments), key=lambda span: span[1] - span[0])
    segment = sum(sizes[start + 1 : end + 1])
    return {**counts, "segment": segment, "peak": counts["stored"] + segment}
