"""Counts in floats."""

_ints = transformer_step_flops


def transformer_step_flops(L, d, T, B, V, attention="full", recompute="none"):
    return {k: float(v) for k, v in _ints(L, d, T, B, V, attention, recompute).items()}
