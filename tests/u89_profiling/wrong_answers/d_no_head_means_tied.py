"""With V=0 counts an output layer as wide as the model."""

_no_head = transformer_step_flops


def transformer_step_flops(L, d, T, B, V, attention="full", recompute="none"):
    return _no_head(L, d, T, B, V or 1, attention, recompute)
