"""Counts elements with a type check that knows lists alone."""

_e_lists = training_bytes


def training_bytes(parameter_shapes, activation_shapes, policy, stage=0, devices=1):
    if not all(isinstance(shape, list) for shape in parameter_shapes):
        raise ValueError("shapes are lists")
    return _e_lists(parameter_shapes, activation_shapes, policy, stage, devices)
