"""Takes differences in the dtype of the tensors, where they may overflow."""

_right_gap = _gap


def _gap(a, b, tolerance):
    same = isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)
    if same and a.dtype == b.dtype == torch.float16 and a.shape == b.shape and a.numel():
        if bool(a.isfinite().all() & b.isfinite().all()):
            scale = torch.maximum(a.abs(), b.abs()).max()
            gap = float((a - b).abs().max()) / float(scale) if scale else 0.0
            return gap <= tolerance, gap
    return _right_gap(a, b, tolerance)
