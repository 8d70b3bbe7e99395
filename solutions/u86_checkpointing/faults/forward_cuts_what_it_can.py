"""Accepts any number of segments in the forward.

check = "8.6.c/a_chain_cannot_be_cut_like_that"
stage = "numpy"
says = "The forward took a number of segments that cannot be. Leave the refusal of segment_spans alone."
"""

_strict_forward = chain_forward


def chain_forward(layers, x, segments, rng):
    return _strict_forward(layers, x, min(max(segments, 1), len(layers)), rng)
