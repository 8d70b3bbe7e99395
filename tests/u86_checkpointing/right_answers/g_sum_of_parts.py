"""A sum over what the layer keeps, as a fraction."""

from fractions import Fraction


def transformer_layer_bytes(s, b, h, a, recompute="none", t=1, sequence_parallel=False):
    if recompute not in ("none", "selective", "full") or not all(v >= 1 for v in (s, b, h, a, t)):
        raise ValueError("layer")
    if recompute == "full":
        return s * b * h + s * b * h
    split, whole = Fraction(1, t), Fraction(1, t if sequence_parallel else 1)
    kept = [(2, whole), (4, split), (2, split), (2, split), (1, whole)]
    kept += [(2, whole), (8, split), (8, split), (1, whole), (2, whole), (2, whole)]
    size = sum(count * share for count, share in kept) * s * b * h
    if recompute == "none":
        size += Fraction(5 * a * s * s * b, t)
    return float(size)
