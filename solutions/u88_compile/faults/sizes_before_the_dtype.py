"""Looks at sizes before it looks at the dtype.

check = "8.8.b/the_first_guard_that_fails"
stage = "numpy"
says = "The sizes were checked before dtype and rank, another order than that of the list."
also = ["8.8.b/symbols_stand_for_two_and_more", "8.8.c/why_it_was_compiled"]
"""


def _mismatch(old, new, dynamic, _right=_mismatch):
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray) and old.ndim == new.ndim:
        new_like = np.ones(new.shape, old.dtype)
        return _right(old, new_like, dynamic) or _right(old, new, dynamic)
    return _right(old, new, dynamic)
