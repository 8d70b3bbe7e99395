"""Leaves out the normal number that waits in Python's generator."""

_right_restore = restore_run


def restore_run(run, state):
    _right_restore(run, state)
    version, words, _ = state["rng"]["python"]
    random.setstate((version, words, None))
