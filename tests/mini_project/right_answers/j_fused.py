"""Claims nothing of memory beyond what is there, with another implementation of AdamW as well."""

_pieces = optimized


def optimized(seed):
    run = _pieces(seed)
    for group in run.optimizer.param_groups:
        group["foreach"] = False
    return run
