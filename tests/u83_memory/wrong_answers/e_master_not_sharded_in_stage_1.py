"""Splits the master copy from stage 3 on, with the weights."""

_e_sharded = training_bytes


def training_bytes(parameter_shapes, activation_shapes, policy, stage=0, devices=1):
    parts = _e_sharded(parameter_shapes, activation_shapes, policy, stage, devices)
    if stage in (1, 2):
        whole = sum(_elements(parameter_shapes))
        more = (whole - -(-whole // devices)) * _policy(policy)["master"]
        parts["parameters"] += more
        parts["total"] += more
    return parts
