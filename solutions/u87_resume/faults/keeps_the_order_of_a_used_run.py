"""Keeps the order that the run had drawn before.

check = "8.7.g/it_resumes_from_any_place"
stage = "torch"
says = "The run had drawn an order of its own, and it was still there."
"""

_right = restore_run


def restore_run(run, state):
    kept = run.order
    _right(run, state)
    if kept is not None:
        run.order = kept
