"""Boundaries are objects that remember copies, spans by arithmetic."""


class _Boundary:
    def __init__(self, start, end, x, state):
        self.values = (start, end, x.copy(), state)

    def __iter__(self):
        return iter(self.values)


_forward = chain_forward


def chain_forward(layers, x, segments, rng):
    y, boundaries = _forward(layers, x, segments, rng)
    return y, [_Boundary(*boundary) for boundary in boundaries]
