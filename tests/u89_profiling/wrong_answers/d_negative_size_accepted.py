"""Accepts negative sizes."""

_nonneg = transformer_step_flops


def transformer_step_flops(L, d, T, B, V, attention="full", recompute="none"):
    return _nonneg(abs(L), abs(d), abs(T), abs(B), abs(V), attention, recompute)
