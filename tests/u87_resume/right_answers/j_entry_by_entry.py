"""Compares floats in Python's numbers, one entry at a time."""

_plain_gap = _gap


def _gap(a, b, tolerance):
    import math

    if not (isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)):
        return _plain_gap(a, b, tolerance)
    if a.dtype != b.dtype or a.shape != b.shape or not a.is_floating_point():
        return _plain_gap(a, b, tolerance)
    pairs = list(zip(a.detach().reshape(-1).tolist(), b.detach().reshape(-1).tolist(), strict=True))
    scale = gap = 0.0
    for x, y in pairs:
        if math.isfinite(x) and math.isfinite(y):
            scale, gap = max(scale, abs(x), abs(y)), max(gap, abs(x - y))
        elif not (x == y or (math.isnan(x) and math.isnan(y))):
            return False, math.inf
    return gap <= tolerance * scale, gap / scale if gap else 0.0
