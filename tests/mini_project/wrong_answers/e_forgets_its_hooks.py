"""Leaves a hook on each module."""

_unhooking = first_invalid


def first_invalid(trainer, batches, steps):
    for module in trainer.model.modules():
        module.register_forward_hook(lambda *_: None)
    return _unhooking(trainer, batches, steps)
