"""Recomputation of causal attention runs the full term again."""

_same_convention = transformer_step_flops


def transformer_step_flops(L, d, T, B, V, attention="full", recompute="none"):
    s = _same_convention(L, d, T, B, V, attention, recompute)
    whole = 4 * L * B * T * T * d
    if recompute in ("attention", "full"):
        extra = whole - s["attention"]
        s["recomputed"] += extra
        s["hardware"] += extra
    return s
