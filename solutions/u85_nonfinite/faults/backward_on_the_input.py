"""Runs the backward on the input itself.

check = "8.5.p/guard_leaves_inputs_alone"
stage = "torch"
says = "The test filled the .grad of its inputs, or changed them. Work on a copy that is a leaf of its own."
"""


def assert_finite(function, inputs):
    for number, given in enumerate(inputs):
        leaf = given.requires_grad_()
        with torch.enable_grad():
            result = function(leaf)
        gradient = None
        if result.requires_grad:
            result.backward(torch.ones_like(result))
            gradient = leaf.grad
        for what, tensor in (("value", result), ("gradient", gradient)):
            bad = None if tensor is None else _first_bad(tensor.detach())
            if bad is not None:
                raise AssertionError(f"input {number}: the {what} is {bad[1]} at {bad[0]}")
