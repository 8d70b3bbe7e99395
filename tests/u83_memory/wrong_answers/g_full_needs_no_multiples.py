"""Splits nothing with full recomputation, and so refuses nothing."""

_g_strict = transformer_activation_bytes


def transformer_activation_bytes(s, b, h, a, *, tensor_parallel=1, recompute="none", **named):
    t = 1 if recompute == "full" else tensor_parallel
    return _g_strict(s, b, h, a, tensor_parallel=t, recompute=recompute, **named)
