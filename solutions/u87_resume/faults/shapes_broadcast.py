"""Compares tensors of other shapes as far as they can be subtracted.

check = "8.7.j/nothing_hides_a_difference"
stage = "torch"
says = "(3, 1) less (3,) has a result. Compare the shapes first."
"""

_right_gap = _gap


def _gap(a, b, tolerance):
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) and a.shape != b.shape:
        try:
            a, b = torch.broadcast_tensors(a, b)
        except RuntimeError:
            return False, 0.0
    return _right_gap(a, b, tolerance)
