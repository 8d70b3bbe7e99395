"""Looks for NaN in the gradient, and for anything bad in the value.

check = "8.5.p/guard_sees_infinite_gradients"
stage = "torch"
says = "An infinite gradient is as bad as NaN, and becomes one in the next product."
"""


def assert_finite(function, inputs):
    for number, given in enumerate(inputs):
        leaf = given.detach().clone().requires_grad_()
        with torch.enable_grad():
            result = function(leaf)
        gradient = None
        if result.requires_grad:
            (gradient,) = torch.autograd.grad(
                result, leaf, torch.ones_like(result), allow_unused=True
            )
        for what, tensor in (("value", result), ("gradient", gradient)):
            bad = (
                None
                if tensor is None or (what == "gradient" and not tensor.isnan().any())
                else _first_bad(tensor.detach())
            )
            if bad is not None:
                raise AssertionError(f"input {number}: the {what} is {bad[1]} at {bad[0]}")
