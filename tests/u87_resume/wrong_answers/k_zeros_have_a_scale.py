"""Divides by 1 where the baseline is all zeros."""

def _largest(base, other):
    if base is None or other is None:
        return 0.0 if base is other else float("inf")
    if base.shape != other.shape:
        return float("inf")
    x, y = base.double(), other.double()
    finite = x.isfinite() & y.isfinite()
    if not torch.where(finite, True, (x == y) | (x.isnan() & y.isnan())).all():
        return float("inf")
    x, y = x[finite], y[finite]
    if not x.numel() or torch.equal(x, y):
        return 0.0
    return float((x - y).abs().max()) / (float(x.abs().max()) or 1.0)
