"""Drops the last, shorter batch.

check = "8.7.a/rest_of_epoch_is_the_rest"
stage = "numpy"
says = "The last batch of an epoch may be shorter than the others, and it counts."
"""

_right = rest_of_epoch


def rest_of_epoch(before, n, batch_size, position):
    answer = _right(before, n, batch_size, position)
    whole = [batch for batch in answer["batches"] if len(batch) == batch_size]
    return {**answer, "batches": whole}
