"""A layer gets no gradient; weight decay alone moves it."""

_all = optimized


def optimized(seed):
    run = _all(seed)
    backward = run.backward
    layer = next(run.model.parameters())

    def most(loss):
        backward(loss)
        layer.grad.zero_()

    run.backward = most
    return run
