"""Finds out that a part is missing when the others are restored.

check = "8.7.g/an_incomplete_state_is_refused"
stage = "torch"
says = "Look for all that may be refused before the first change: this run is half old and half new now."
"""

_right = restore_run


def restore_run(run, state):
    if "model" in state:
        _plain(run.model).load_state_dict(state["model"])
    _right(run, state)
