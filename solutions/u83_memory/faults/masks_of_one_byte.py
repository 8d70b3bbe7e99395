"""Counts one byte an element for the mask of a dropout.

check = "8.3.f/live_chains"
stage = "numpy"
says = "This is what a mask of one byte an element gives, as on CUDA and in papers. On a CPU the mask has the dtype of its input."
also = ["8.3.f/what_each_layer_keeps"]
"""

_typed_activation_bytes = activation_bytes


def activation_bytes(layers, batch, width, itemsize=4):
    kept, learns = _typed_activation_bytes(layers, batch, width, itemsize), False
    for layer in layers:
        kind, *sizes = (layer,) if isinstance(layer, str) else layer
        learns = learns or kind in ("linear", "layernorm")
        width = sizes[0] if kind == "linear" else width
        kept -= batch * width * (itemsize - 1) if kind == "dropout" and learns else 0
    return kept
