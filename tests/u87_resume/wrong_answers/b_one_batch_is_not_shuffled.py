"""Draws no order where one batch holds all examples."""

_right_train = train


def train(x, y, settings, steps, state=None):
    plain = _rest.__globals__["_rest"]

    def rest(before, n, size, position):
        if size >= n:
            generator = _generator(before)
            return ([np.arange(n)] if position == 0 else []), generator
        return plain(before, n, size, position)

    train.__globals__["_rest"] = rest
    try:
        return _right_train(x, y, settings, steps, state)
    finally:
        train.__globals__["_rest"] = plain
