"""Leaves the step counters out.

check = "8.3.e/named_policies"
stage = "numpy"
says = "This is what AdamW's two states give without its step counters: 4 bytes a parameter tensor are missing."
also = ["8.3.e/what_adamw_holds"]
"""

_without_training_bytes = training_bytes


def training_bytes(parameter_shapes, activation_shapes, policy, stage=0, devices=1):
    each = dict(_policy(policy))
    if isinstance(policy, str):
        each["counter"] = 0
    return _without_training_bytes(parameter_shapes, activation_shapes, each, stage, devices)
