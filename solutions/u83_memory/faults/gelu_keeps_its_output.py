"""Lets a GELU keep its output instead of its input.

check = "8.3.f/a_shared_tensor_counts_once"
stage = "numpy"
says = "This is what a GELU that keeps its output gives. Its derivative cannot be had from the output: it keeps what came in."
also = ["8.3.f/live_chains"]
"""

_right_activation_bytes = activation_bytes


def activation_bytes(layers, batch, width, itemsize=4):
    _right_activation_bytes(layers, batch, width, itemsize)
    layers = [(layer,) if isinstance(layer, str) else tuple(layer) for layer in layers]
    elements, counted, needs_grad = 0, True, False
    batch, width, itemsize = int(batch), int(width), int(itemsize)
    for kind, *sizes in layers:
        needs_grad = needs_grad or kind in ("linear", "layernorm")
        if needs_grad and kind in ("linear", "layernorm") and not counted:
            elements += batch * width
        if kind == "linear":
            width = int(sizes[0])
        if needs_grad:
            elements += {"layernorm": 2 * batch, "dropout": batch * width}.get(kind, 0)
            elements += batch * width + 1 if kind == "cross_entropy" else 0
        counted = needs_grad and kind in ("relu", "tanh", "gelu")
        elements += batch * width if counted else 0
    return elements * itemsize
