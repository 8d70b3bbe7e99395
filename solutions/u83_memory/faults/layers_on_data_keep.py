"""Counts what layers in front of the first weight would keep.

check = "8.3.f/nothing_is_kept_for_data"
stage = "numpy"
says = "Something was counted for layers on data. Where nothing needs a gradient, autograd records nothing."
also = ["8.3.f/live_chains"]
"""

_lazy_activation_bytes = activation_bytes


def activation_bytes(layers, batch, width, itemsize=4):
    kept = _lazy_activation_bytes(layers, batch, width, itemsize)
    for layer in layers:
        kind = layer if isinstance(layer, str) else layer[0]
        if kind in ("linear", "layernorm"):
            break
        kept += batch * width * itemsize if kind in ("relu", "tanh", "dropout") else 0
    return kept
