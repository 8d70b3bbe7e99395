"""Restores the options of the first parameter group alone."""

_right_restore = restore_run


def restore_run(run, state):
    kept = [{k: v for k, v in g.items() if k != "params"} for g in run.optimizer.param_groups]
    _right_restore(run, state)
    for group, options in list(zip(run.optimizer.param_groups, kept))[1:]:
        group.update(options)
