"""Checkpoints the whole model as one segment.

check = "8.6.h/one_segment_at_a_time"
stage = "torch"
says = "The whole model is one segment. Then all of it is in memory again in the backward, and the peak is as high as without checkpointing."
# the same result is looked at there
also = [
  "8.6.h/only_inputs_of_segments_stay",
]
"""


def checkpointed(model, segments):
    if not 1 <= segments <= len(model):
        raise ValueError("cannot be cut")
    return _Segments(model, 1)
