"""Compares in float32, in which the last bits of a double are gone."""

_right_gap = _gap


def _gap(a, b, tolerance):
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) and a.dtype == b.dtype:
        if a.is_floating_point():
            a, b = a.float(), b.float()
    return _right_gap(a, b, tolerance)
