"""Compares with torch.allclose.

check = "8.6.j/each_difference_by_its_name"
stage = "torch"
says = "A gradient that is wrong by a millionth went through. Recomputation does the same operations in the same order, so there is no rounding to allow for."
"""

_exactly = _same_bits


def _same_bits(mine, theirs):
    there = mine is not None and theirs is not None
    if there and mine.shape == theirs.shape and mine.dtype == theirs.dtype == torch.float32:
        return torch.allclose(mine, theirs, rtol=1e-5, atol=1e-6, equal_nan=True)
    return _exactly(mine, theirs)
