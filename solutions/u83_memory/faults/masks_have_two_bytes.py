"""Counts the dropout masks with 2 bytes an element.

check = "8.3.g/parts_of_a_layer"
stage = "numpy"
says = "This is what masks of 2 bytes give. A dropout mask has one byte an element here."
also = ["8.3.g/split_over_devices", "8.3.g/recomputed_layers"]
"""

_masked_layer = transformer_activation_bytes


def transformer_activation_bytes(s, b, h, a, **named):
    parts = _masked_layer(s, b, h, a, **named)
    if named.get("recompute", "none") != "full":
        t = named.get("tensor_parallel", 1)
        rest = s * b * h // (t if named.get("sequence_parallel") else 1)
        parts["attention"] += rest
        parts["mlp"] += rest
        parts["scores"] += parts["scores"] // 5
    return {**parts, "total": sum(parts[name] for name in parts if name != "total")}
