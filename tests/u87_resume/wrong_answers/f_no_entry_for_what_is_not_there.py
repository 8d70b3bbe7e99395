"""Leaves parts out that the run does not have."""

_right = run_state


def run_state(run):
    state = _right(run)
    return {part: value for part, value in state.items() if value is not None}
