"""Replaces weights by new ones that need no gradient."""

_original = penalty_step


def penalty_step(weights, loss_fn, strength, lr):
    answer = _original(weights, loss_fn, strength, lr)
    for name in weights:
        weights[name] = weights[name].detach()
    return answer
