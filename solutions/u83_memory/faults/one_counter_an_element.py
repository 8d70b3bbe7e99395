"""Books a step counter for every element.

check = "8.3.e/each_part_by_its_dtype"
stage = "numpy"
says = "This is what one step counter for each element gives. AdamW has one for each parameter tensor."
also = ["8.3.e/named_policies", "8.3.e/what_adamw_holds", "8.3.e/zero_splits_by_elements", "8.3.e/policies_and_shapes_that_cannot_be"]
"""

_counted_training_bytes = training_bytes


def training_bytes(parameter_shapes, activation_shapes, policy, stage=0, devices=1):
    parts = _counted_training_bytes(parameter_shapes, activation_shapes, policy, stage, devices)
    more = sum(_elements(parameter_shapes)) - len(list(parameter_shapes))
    extra = more * _policy(policy)["counter"]
    return {**parts, "optimizer": parts["optimizer"] + extra, "total": parts["total"] + extra}
