"""Takes the gradient by functional autograd."""


def assert_finite(function, inputs):
    for i, given in enumerate(inputs):
        y, pull = None, None
        x = given.detach().clone().requires_grad_(True)
        y = function(x)
        if not y.detach().double().isfinite().all():
            raise AssertionError("the value at input %d is bad" % i)
        if y.requires_grad:
            pull = torch.autograd.grad(y.sum(), [x], allow_unused=True)[0]
        if pull is not None and (pull - pull).isnan().any():
            raise AssertionError("the gradient at input %d is bad" % i)
