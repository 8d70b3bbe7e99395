"""Takes a missing gradient for zeros.

check = "8.6.j/bits_decide"
stage = "torch"
says = "A gradient of zeros was taken for a missing one. An optimizer with momentum or decay moves the first and not the second."
"""

_none_is_none = _same_bits


def _same_bits(mine, theirs):
    if mine is None and theirs is not None:
        mine = torch.zeros_like(theirs)
    if theirs is None and mine is not None:
        theirs = torch.zeros_like(mine)
    return _none_is_none(mine, theirs)
