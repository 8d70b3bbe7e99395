"""Puts gradients back, and zeros where there was none."""

_right_report = boundary_report


def boundary_report(model, x, tolerance=1e-5, threads=2, compiler=None):
    try:
        return _right_report(model, x, tolerance, threads, compiler)
    finally:
        for p in model.parameters():
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad
