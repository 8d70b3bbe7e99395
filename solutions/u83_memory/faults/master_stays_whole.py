"""Splits the optimizer states but not the master copy.

check = "8.3.e/zero_splits_by_elements"
stage = "numpy"
says = "This is what a master copy on every device gives. ZeRO splits it with the optimizer states, from stage 1 on."
"""

_split_training_bytes = training_bytes


def training_bytes(parameter_shapes, activation_shapes, policy, stage=0, devices=1):
    parts = _split_training_bytes(parameter_shapes, activation_shapes, policy, stage, devices)
    elements, devices = sum(_elements(parameter_shapes)), int(devices)
    extra = (elements - -(-elements // devices)) * _policy(policy)["master"] if stage else 0
    return {**parts, "parameters": parts["parameters"] + extra, "total": parts["total"] + extra}
