"""Looks at the value alone.

check = "8.5.p/guard_tells_fault_from_repair"
stage = "torch"
says = "The value is right and the gradient NaN: a test that looks at values alone passes on the faulty code."
also = ["8.5.p/guard_sees_infinite_gradients"]
"""


def assert_finite(function, inputs):
    for number, given in enumerate(inputs):
        leaf = given.detach().clone().requires_grad_()
        with torch.enable_grad():
            result = function(leaf)
        if result.requires_grad:
            (_,) = torch.autograd.grad(result, leaf, torch.ones_like(result), allow_unused=True)
        for what, tensor in (("value", result),):
            bad = None if tensor is None else _first_bad(tensor.detach())
            if bad is not None:
                raise AssertionError(f"input {number}: the {what} is {bad[1]} at {bad[0]}")
