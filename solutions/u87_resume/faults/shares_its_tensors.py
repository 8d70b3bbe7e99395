"""Lets the run go on with the very tensors of the state.

check = "8.7.g/it_resumes_from_any_place"
stage = "torch"
says = "optimizer.load_state_dict keeps the tensors it is given, and its steps change them: a second resume starts elsewhere. Copy the state first."
"""

_right = restore_run


def restore_run(run, state):
    _right(run, state)
    run.optimizer.load_state_dict(state["optimizer"])
