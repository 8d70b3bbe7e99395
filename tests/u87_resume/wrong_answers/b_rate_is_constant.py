"""Never lowers the learning rate."""

_right = train


def train(x, y, settings, steps, state=None):
    return _right(x, y, {**settings, "decay": 1.0}, steps, state)
