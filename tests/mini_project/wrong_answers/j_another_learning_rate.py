"""Learns faster with twice the learning rate."""

_same = optimized


def optimized(seed):
    run = _same(seed)
    run.scheduler.base_lrs = [2 * lr for lr in run.scheduler.base_lrs]
    for group in run.optimizer.param_groups:
        group["lr"] *= 2
    return run
