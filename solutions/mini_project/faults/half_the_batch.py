"""Trains on half of each batch.

check = "mini-project.j/it_computes_the_same"
stage = "torch"
also = ["mini-project.j/the_claim_is_what_is_measured"]
says = "Losses and gradients are those of half the batch. It is faster and smaller because it does less."
"""


_full = optimized


def optimized(seed):
    run = _full(seed)
    forward = run.forward
    run.forward = lambda batch: forward(tuple(one[: len(one) // 2] for one in batch))
    return run
