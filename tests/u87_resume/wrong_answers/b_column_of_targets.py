"""Looks at the number of targets alone, so that a column of them is broadcast."""

_right_train = train


def train(x, y, settings, steps, state=None):
    if np.shape(y)[:1] != np.shape(x)[:1]:
        raise ValueError("another number of targets")
    return _right_train(x, np.ravel(y)[: len(x)], settings, steps, state)
