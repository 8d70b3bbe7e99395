"""Restores the parameters that need a gradient, and leaves frozen ones as they are."""

_right_restore = restore_run


def restore_run(run, state):
    kept = [(p, p.detach().clone()) for p in run.model.parameters() if not p.requires_grad]
    _right_restore(run, state)
    with torch.no_grad():
        for p, value in kept:
            p.copy_(value)
