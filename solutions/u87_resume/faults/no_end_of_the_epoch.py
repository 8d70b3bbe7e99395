"""Takes any position for the end of an epoch.

check = "8.7.a/a_position_that_cannot_be_is_refused"
stage = "numpy"
says = "A slice behind the end is empty and no error: a position that cannot be has to be looked for."
"""


def rest_of_epoch(before, n, batch_size, position):
    generator = _generator(before)
    order = generator.permutation(n)
    batches = [order[i : i + batch_size] for i in range(0, n, batch_size)]
    return {"batches": batches[position:], "after": generator.bit_generator.state}
