"""Runs a backward, which fills the .grad of everything that the function was made of."""


def assert_finite(function, inputs):
    for number, given in enumerate(inputs):
        leaf = given.detach().clone().requires_grad_()
        result = function(leaf)
        if _first_bad(result.detach()):
            raise AssertionError(f"input {number}: the value is bad")
        if result.requires_grad:
            result.sum().backward()
            if leaf.grad is not None and _first_bad(leaf.grad):
                raise AssertionError(f"input {number}: the gradient is bad")
