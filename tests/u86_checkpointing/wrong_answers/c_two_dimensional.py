"""Takes the input for a matrix."""

_any = chain_forward


def chain_forward(layers, x, segments, rng):
    rows, columns = x.shape
    return _any(layers, x.reshape(rows, columns), segments, rng)
