"""Looks at the sizes of outputs alone."""

_counts = chain_counts


def chain_counts(sizes, segments):
    if sizes and sizes[0] == math.inf:
        sizes = [1, *sizes[1:]]
    return _counts(sizes, segments)
