"""Measures the model in evaluation mode, and puts the mode back."""

_right_report = boundary_report


def boundary_report(model, x, tolerance=1e-5, threads=2, compiler=None):
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    try:
        return _right_report(model, x, tolerance, threads, compiler)
    finally:
        for m, mode in modes:
            m.training = mode
