"""Splits all of the layer over the devices."""


def transformer_layer_bytes(s, b, h, a, recompute="none", t=1, sequence_parallel=False):
    if min(s, b, h, a, t) < 1 or recompute not in ("none", "selective", "full"):
        raise ValueError("layer")
    if recompute == "full":
        return 2 * s * b * h
    return s * b * h * (34 + (5 * a * s / h if recompute == "none" else 0)) / t
