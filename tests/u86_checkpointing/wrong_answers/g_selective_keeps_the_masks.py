"""Selective recomputation keeps the mask of the scores."""

_layer = transformer_layer_bytes


def transformer_layer_bytes(s, b, h, a, recompute="none", t=1, sequence_parallel=False):
    size = _layer(s, b, h, a, recompute, t, sequence_parallel)
    return size + (a * s * s * b / t if recompute == "selective" else 0)
