"""Returns the tensors that the run goes on with.

check = "8.7.f/saving_is_a_copy_and_moves_nothing"
stage = "torch"
says = "state_dict() refers to the live tensors, and a copy of the dict does too: the next step changes what you think is saved."
source = "pytorch/pytorch#34765"
"""

_right = run_state


def run_state(run):
    state = _right(run)
    return {**state, "model": dict(_plain(run.model).state_dict())}
