"""Looks at the tokens and the devices alone."""

_all_sizes = transformer_layer_bytes


def transformer_layer_bytes(s, b, h, a, recompute="none", t=1, sequence_parallel=False):
    if s < 1 or t < 1 or recompute not in ("none", "selective", "full"):
        raise ValueError("cannot be")
    if min(b, h, a) < 1:
        return 0
    return _all_sizes(s, b, h, a, recompute, t, sequence_parallel)
