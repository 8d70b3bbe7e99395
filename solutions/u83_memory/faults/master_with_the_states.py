"""Books the master copy with the optimizer states.

check = "8.3.e/each_part_by_its_dtype"
stage = "numpy"
says = "This is what the master copy gives as a part of the optimizer. The total is the same, but the parts are not what was asked for: it is a copy of the parameters."
also = ["8.3.e/named_policies", "8.3.e/zero_splits_by_elements"]
"""

_booked_training_bytes = training_bytes


def training_bytes(parameter_shapes, activation_shapes, policy, stage=0, devices=1):
    parts = _booked_training_bytes(parameter_shapes, activation_shapes, policy, stage, devices)
    each = _policy(policy)
    plain = dict(each, master=0)
    weights = _booked_training_bytes(parameter_shapes, [], plain, stage, devices)["parameters"]
    copy = parts["parameters"] - weights
    return {**parts, "parameters": weights, "optimizer": parts["optimizer"] + copy}
