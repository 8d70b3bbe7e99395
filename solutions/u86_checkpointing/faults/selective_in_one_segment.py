"""Treats the whole model as one segment under a policy.

check = "8.6.k/selective_segments"
stage = "torch"
says = "The blocks of all segments were run again at once: the number of segments was not used."
"""


def selective(model, segments):
    if not 1 <= segments <= len(model):
        raise ValueError("cannot be cut")
    return _Segments(model, 1, keep=_keep_products)
