"""Returns the arrays of the state it was given when there is no step to make."""

_plain = train


def train(x, y, settings, steps, state=None):
    answer = _plain(x, y, settings, steps, state)
    if state is not None and steps == 0:
        answer["state"] = state
    return answer
