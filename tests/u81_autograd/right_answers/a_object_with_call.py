"""Pull is an object that can be called."""

_original = linear_vjp


class _Pull:
    def __init__(self, pull):
        self.pull = pull

    def __call__(self, saved, g):
        return self.pull(saved, g)


def linear_vjp(x, W, b, needs):
    y, saved, pull = _original(x, W, b, needs)
    return [y, list(saved), _Pull(pull)]
