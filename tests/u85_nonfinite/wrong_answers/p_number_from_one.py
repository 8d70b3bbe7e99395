"""Numbers the inputs from 1."""


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
            bad = None if tensor is None else _first_bad(tensor.detach())
            if bad is not None:
                raise AssertionError(f"input {number + 1}: the {what} is {bad[1]} at {bad[0]}")
