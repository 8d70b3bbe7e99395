"""Returns a dict with more keys, in another order."""

_re2 = training_bytes


def training_bytes(parameter_shapes, activation_shapes, policy, stage=0, devices=1):
    parts = _re2(parameter_shapes, activation_shapes, policy, stage, devices)
    return {"elements": sum(_elements(parameter_shapes)), **dict(reversed(parts.items()))}
