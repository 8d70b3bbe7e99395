"""Splits each tensor by itself and rounds each share up."""

_e_flat = training_bytes


def training_bytes(parameter_shapes, activation_shapes, policy, stage=0, devices=1):
    parts = _e_flat(parameter_shapes, activation_shapes, policy, stage, devices)
    each, sizes = _policy(policy), _elements(parameter_shapes)
    share = sum(-(-size // devices) for size in sizes)
    w, g, s = (share if stage >= k else sum(sizes) for k in (3, 2, 1))
    parts["parameters"] = w * each["weight"] + s * each["master"]
    parts["gradients"] = g * each["gradient"]
    parts["optimizer"] = s * each["state"] * each["states"] + len(sizes) * each["counter"]
    parts["total"] = sum(size for name, size in parts.items() if name != "total")
    return parts
