"""Goes on with a scale that falls for ever.

check = "8.4.k/scale_under_the_floor"
stage = "torch"
says = "The scale fell under the floor without an error. PyTorch's scaler has none of its own: compare after update."
source = "facebookresearch/fairseq#1529"
"""

_floored_step = amp_step


def amp_step(*arguments, floor=0.0, **named):
    return _floored_step(*arguments, **named)
