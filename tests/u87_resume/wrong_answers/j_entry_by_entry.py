"""Holds each entry against its own size."""

_right_gap = _gap


def _gap(a, b, tolerance):
    agrees, gap = _right_gap(a, b, tolerance)
    if isinstance(a, torch.Tensor) and 0 < gap < float("inf"):
        x, y = a.double(), b.double()
        gap = float(((x - y).abs() / torch.maximum(x.abs(), y.abs())).nan_to_num().max())
        return gap <= tolerance, gap
    return agrees, gap
