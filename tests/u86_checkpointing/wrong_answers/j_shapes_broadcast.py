"""Compares entry by entry, shapes broadcast."""

_bits = _same_bits


def _same_bits(mine, theirs):
    if mine is not None and theirs is not None and mine.dtype == theirs.dtype and mine.numel():
        try:
            return bool(torch.isclose(mine, theirs, rtol=0, atol=0, equal_nan=True).all())
        except RuntimeError:
            return False
    return _bits(mine, theirs)
