"""Does not restore the optimizer."""

_right = restore_run


def restore_run(run, state):
    before = copy.deepcopy(run.optimizer.state_dict())
    _right(run, state)
    run.optimizer.load_state_dict(before)
