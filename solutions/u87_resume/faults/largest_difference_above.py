"""Calls values different if the largest difference is above the tolerance.

check = "8.7.j/nothing_hides_a_difference"
stage = "torch"
says = "max(abs(x - y)) > tolerance is False for NaN."
also = [
  "8.7.j/each_missing_part_is_found",
  "8.7.j/the_tolerance_is_relative",
]
"""

_right_gap = _gap


def _gap(a, b, tolerance):
    if not (isinstance(a, torch.Tensor) and a.is_floating_point() and a.numel()):
        return _right_gap(a, b, tolerance)
    if not isinstance(b, torch.Tensor) or a.dtype != b.dtype or a.shape != b.shape:
        return _right_gap(a, b, tolerance)
    gap = float((a - b).abs().max() / torch.maximum(a.abs().max(), b.abs().max()))
    return (not gap > tolerance), gap if gap == gap else 0.0
