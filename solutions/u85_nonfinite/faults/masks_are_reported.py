"""Knows of no module that may give out -inf.

check = "8.5.h/allowed_masks_of_a_model"
stage = "torch"
says = "The -inf of a mask is meant. In the modules that are allowed to, it is no find."
"""

_no_mask = _first_bad


def _first_bad(tensor, allow_masked=False):
    return _no_mask(tensor)
