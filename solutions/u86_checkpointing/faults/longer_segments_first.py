"""Puts the longer segments at the front.

check = "8.6.a/nearly_equal_segments"
stage = "numpy"
says = "The segments that are longer by one come first here. They belong at the end."
# the same result is looked at there
also = [
  "8.6.d/each_segment_is_run_once_more",
  "8.6.e/what_is_kept",
  "8.6.e/a_chain_measured_just_now",
]
"""


def segment_spans(n, segments):
    if n < 1 or not 1 <= segments <= n:
        raise ValueError("cannot be cut")
    short, longer = divmod(n, segments)
    spans, start = [], 0
    for index in range(segments):
        end = start + short + (index < longer)
        spans.append((start, end))
        start = end
    return spans
