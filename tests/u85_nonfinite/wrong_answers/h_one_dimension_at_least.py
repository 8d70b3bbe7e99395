"""Gives an index of one integer for a tensor without dimensions."""

_of_any_shape = _first_bad


def _first_bad(tensor, allow_masked=False):
    return _of_any_shape(torch.atleast_1d(tensor), allow_masked)
