"""Splits the activations from stage 3 on, too."""

_e_local = training_bytes


def training_bytes(parameter_shapes, activation_shapes, policy, stage=0, devices=1):
    parts = _e_local(parameter_shapes, activation_shapes, policy, stage, devices)
    if stage == 3:
        parts["activations"] = -(-parts["activations"] // devices)
        parts["total"] = sum(size for name, size in parts.items() if name != "total")
    return parts
