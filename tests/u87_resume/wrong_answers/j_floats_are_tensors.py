"""Makes a tensor of each float, so that a tensor of one number equals a float."""

_right_gap = _gap


def _gap(a, b, tolerance):
    if type(a) is float:
        a = torch.tensor(a, dtype=torch.float64)
    if type(b) is float:
        b = torch.tensor(b, dtype=torch.float64)
    return _right_gap(a, b, tolerance)
