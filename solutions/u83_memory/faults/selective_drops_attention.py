"""Drops the whole attention under selective recomputation.

check = "8.3.g/recomputed_layers"
stage = "numpy"
says = "This is what recomputing all of attention gives. Selective recomputation drops the scores alone: they are most of the bytes and few of the FLOPs."
"""

_selected_layer = transformer_activation_bytes


def transformer_activation_bytes(s, b, h, a, **named):
    parts = _selected_layer(s, b, h, a, **named)
    if named.get("recompute") == "selective":
        parts["attention"] = 0
    return {**parts, "total": sum(parts[name] for name in parts if name != "total")}
