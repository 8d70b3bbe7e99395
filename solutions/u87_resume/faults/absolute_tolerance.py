"""Takes the tolerance for an absolute one.

check = "8.7.j/the_tolerance_is_relative"
stage = "torch"
says = "The tolerance is relative to the largest entry of the two."
also = [
  "8.7.j/nothing_hides_a_difference",
]
"""

_right_gap = _gap


def _gap(a, b, tolerance):
    agrees, gap = _right_gap(a, b, tolerance)
    if isinstance(a, (torch.Tensor, float)) and 0 < gap < float("inf"):
        x, y = torch.as_tensor(a).double(), torch.as_tensor(b).double()
        return bool(((x - y).abs() <= tolerance).all()), float((x - y).abs().max())
    return agrees, gap
