"""Draws a mask for a whole batch also where the last one is shorter."""

_right_train = train


def train(x, y, settings, steps, state=None):
    class Generator:
        def __init__(self, inner):
            self.inner, self.bit_generator = inner, inner.bit_generator

        def permutation(self, n):
            return self.inner.permutation(n)

        def random(self, shape):
            return self.inner.random((settings["batch_size"], shape[1]))[: shape[0]]

    plain = _rest.__globals__["_generator"]
    made = lambda now: Generator(plain_one(now))
    plain_one = plain
    _rest.__globals__["_generator"] = made
    try:
        return _right_train(x, y, settings, steps, state)
    finally:
        _rest.__globals__["_generator"] = plain
