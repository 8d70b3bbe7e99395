"""Takes an unknown word for recompute as none."""

_known = transformer_step_flops


def transformer_step_flops(L, d, T, B, V, attention="full", recompute="none"):
    return _known(
        L, d, T, B, V, attention, recompute if recompute in ("attention", "full") else "none"
    )
