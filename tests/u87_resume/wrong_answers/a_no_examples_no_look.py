"""Gives nothing for no examples before it looks at the other arguments."""

_right_rest = rest_of_epoch


def rest_of_epoch(before, n, batch_size, position):
    if n == 0 and position <= 0:
        return {"batches": [], "after": dict(before)}
    return _right_rest(before, n, batch_size, position)
