"""Fills what a policy lacks with 4 bytes.

check = "8.3.e/policies_and_shapes_that_cannot_be"
stage = "numpy"
says = "A policy that lacks a number was filled up. A missing dtype is a question for whoever wrote the policy, not a guess."
"""

_full_training_bytes = training_bytes


def training_bytes(parameter_shapes, activation_shapes, policy, stage=0, devices=1):
    if isinstance(policy, dict):
        policy = {**dict.fromkeys(NEEDED, 4), **policy}
    return _full_training_bytes(parameter_shapes, activation_shapes, policy, stage, devices)
