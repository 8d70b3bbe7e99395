"""Splits over devices by rounding down.

check = "8.3.e/zero_splits_by_elements"
stage = "numpy"
says = "This is what rounding the share down gives. The device with the largest share is the one that runs out of memory."
"""

_fair_training_bytes = training_bytes


def training_bytes(parameter_shapes, activation_shapes, policy, stage=0, devices=1):
    parts = _fair_training_bytes(parameter_shapes, activation_shapes, policy, stage, devices)
    devices = int(devices)
    each, p, t = _policy(policy), sum(_elements(parameter_shapes)), len(list(parameter_shapes))
    weights, gradients, states = (p // devices if stage >= k else p for k in (3, 2, 1))
    parts = {
        "parameters": weights * each["weight"] + states * each["master"],
        "gradients": gradients * each["gradient"],
        "optimizer": states * each["state"] * each["states"] + t * each["counter"],
        "activations": parts["activations"],
    }
    return {**parts, "total": sum(parts.values())}
