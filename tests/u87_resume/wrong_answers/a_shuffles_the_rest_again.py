"""Draws a new order for what is left."""

_right = rest_of_epoch


def rest_of_epoch(before, n, batch_size, position):
    answer = _right(before, n, batch_size, position)
    generator = _generator(before)
    left = generator.permutation(np.arange(position * batch_size, n))
    starts = range(0, len(left), batch_size)
    return {**answer, "batches": [left[start : start + batch_size] for start in starts]}
