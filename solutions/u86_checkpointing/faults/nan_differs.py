"""Takes NaN for different from NaN.

check = "8.6.j/the_same_has_no_difference"
stage = "torch"
says = "A model was found to differ from itself: NaN is not equal to NaN, but it is the same bits."
"""


def _same_bits(mine, theirs):
    if mine is None or theirs is None:
        return mine is theirs
    return mine.dtype == theirs.dtype and torch.equal(mine, theirs)
