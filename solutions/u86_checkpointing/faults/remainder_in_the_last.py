"""Gives all layers that are left over to the last segment.

check = "8.6.a/nearly_equal_segments"
stage = "numpy"
says = "All layers that are left over are in the last segment: with 11 layers in 4 segments that is 2, 2, 2 and 5. The longest segment decides over the peak, so they have to be spread."
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
    short = n // segments
    starts = [short * index for index in range(segments)]
    return list(zip(starts, [*starts[1:], n], strict=True))
