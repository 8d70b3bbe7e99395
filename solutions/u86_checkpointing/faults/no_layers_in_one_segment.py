"""Takes a chain without layers for one segment.

check = "8.6.f/no_layers_to_cut"
stage = "numpy"
says = "A chain without layers was given a segment. It has none."
"""

_some_layers = best_segments


def best_segments(n):
    return _some_layers(max(n, 1))
