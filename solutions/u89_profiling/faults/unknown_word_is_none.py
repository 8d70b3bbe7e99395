"""Takes an unknown word for recompute as none.

check = "8.9.d/transformers_that_cannot_be"
stage = "numpy"
says = "An unknown word was taken for 'none', and a typing error becomes a wrong number. Refuse what you do not know."
"""

_known = transformer_step_flops


def transformer_step_flops(L, d, T, B, V, attention="full", recompute="none"):
    return _known(
        L, d, T, B, V, attention, recompute if recompute in ("attention", "full") else "none"
    )
