"""Leaves parts out that the run does not have.

check = "8.7.f/the_state_loads_with_weights_only"
stage = "torch"
says = "A part that is None says that the run has none; a part that is missing says nothing."
"""

_right = run_state


def run_state(run):
    state = _right(run)
    return {part: value for part, value in state.items() if value is not None}
