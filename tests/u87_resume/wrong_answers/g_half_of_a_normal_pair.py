"""Restores NumPy's keys and position, but not the number that waits inside."""

_right = restore_run


def restore_run(run, state):
    _right(run, state)
    name, keys, position, *_ = np.random.get_state()
    np.random.set_state((name, keys, position, 0, 0.0))
