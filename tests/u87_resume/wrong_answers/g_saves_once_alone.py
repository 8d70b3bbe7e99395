"""Draws the order again and forgets from which state, so that the run cannot be saved again."""

_right_restore = restore_run


def restore_run(run, state):
    before = run.before_epoch
    _right_restore(run, state)
    run.before_epoch = before
