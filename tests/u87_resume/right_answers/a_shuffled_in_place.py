"""Shuffles the numbers in place, which draws what a permutation draws, and gives plain views."""

def rest_of_epoch(before, n, batch_size, position):
    if n < 0 or batch_size < 1 or not 0 <= position <= math.ceil(n / batch_size):
        raise ValueError
    generator = np.random.Generator(np.random.PCG64())
    generator.bit_generator.state = before
    order = np.arange(n)
    generator.shuffle(order)
    batches = np.split(order, range(batch_size, n, batch_size)) if n else []
    return {"after": generator.bit_generator.state, "batches": batches[position:]}


import math
