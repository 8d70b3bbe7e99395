"""Refuses no device, and not fewer than none."""

_all_sizes = transformer_layer_bytes


def transformer_layer_bytes(s, b, h, a, recompute="none", t=1, sequence_parallel=False):
    if not s or not t or recompute not in ("none", "selective", "full"):
        raise ValueError("cannot be")
    if min(s, b, h, a, t) < 1:
        return s * b * h
    return _all_sizes(s, b, h, a, recompute, t, sequence_parallel)
