"""Leaves its hook on the optimizer."""

_true = amp_step


def amp_step(model, optimizer, *arguments, **named):
    found = _true(model, optimizer, *arguments, **named)
    optimizer.register_step_post_hook(lambda *_: None)
    return found
