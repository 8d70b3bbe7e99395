"""Holds integers against the tolerance as well."""

_right_gap = _gap


def _gap(a, b, tolerance):
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) and a.dtype == b.dtype:
        return _right_gap(a.double(), b.double(), tolerance)
    return _right_gap(a, b, tolerance)
