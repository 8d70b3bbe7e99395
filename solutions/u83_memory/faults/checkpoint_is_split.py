"""Splits the saved input of a recomputed layer.

check = "8.3.g/recomputed_layers"
stage = "numpy"
says = "This is what a split input gives. Under full recomputation every device keeps the whole input of the layer."
"""

_whole_input_layer = transformer_activation_bytes


def transformer_activation_bytes(s, b, h, a, **named):
    parts = _whole_input_layer(s, b, h, a, **named)
    parts["input"] //= int(named.get("tensor_parallel", 1))
    return {**parts, "total": sum(parts[name] for name in parts if name != "total")}
