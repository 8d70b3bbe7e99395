"""Keeps the number of the step in the loader, and nothing under its own name."""

_right_state, _right_restore = run_state, restore_run


def run_state(run):
    state = _right_state(run)
    state["loader"]["step"] = state["step"]
    return {**state, "step": 0}


def restore_run(run, state):
    _right_restore(run, state)
    run.step = state["loader"]["step"]
