"""Begins a new epoch after each break."""

_right = train


def train(x, y, settings, steps, state=None):
    answer = _right(x, y, settings, steps, state)
    return {**answer, "state": {**answer["state"], "position": 0}}
