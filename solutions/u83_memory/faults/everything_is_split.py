"""Splits norms, inputs and masks by tensor parallelism too.

check = "8.3.g/split_over_devices"
stage = "numpy"
says = "This is what splitting the whole layer gives. Tensor parallelism alone leaves norms, shared inputs and the masks behind the blocks on every device."
also = ["8.3.g/layers_that_cannot_be_split"]
"""

_partly_split_layer = transformer_activation_bytes


def transformer_activation_bytes(s, b, h, a, **named):
    t, full = named.get("tensor_parallel", 1), named.get("recompute", "none") == "full"
    parts = _partly_split_layer(s, b, h, a, **named)
    if not full:
        n, t = int(s) * int(b) * int(h), int(t)
        parts |= {"norms": 4 * n // t, "attention": 11 * n // t, "mlp": 19 * n // t}
    return {**parts, "total": sum(parts[name] for name in parts if name != "total")}
