"""Tuples of lists in the place of lists of arrays."""

_plain = rest_of_epoch


def rest_of_epoch(before, n, batch_size, position):
    answer = _plain(before, n, batch_size, position)
    return {**answer, "batches": tuple(batch.tolist() for batch in answer["batches"])}
