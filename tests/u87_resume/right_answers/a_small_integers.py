"""Batches of 16-bit integers."""

_plain = rest_of_epoch


def rest_of_epoch(before, n, batch_size, position):
    answer = _plain(before, n, batch_size, position)
    return {**answer, "batches": [batch.astype(np.int16) for batch in answer["batches"]]}
