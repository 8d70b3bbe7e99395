"""Returns loss and penalty after the step."""

_original = penalty_step


def penalty_step(weights, loss_fn, strength, lr):
    _original(weights, loss_fn, strength, lr)
    return _original(weights, loss_fn, strength, 0.0)
