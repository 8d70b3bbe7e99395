"""Keeps the generator's state from after the order was drawn, in place of the one before.

check = "8.7.b/breaks_leave_no_trace"
stage = "numpy"
says = "The order was drawn again, but from a state that had drawn it already: another order came out."
"""

_right = train


def train(x, y, settings, steps, state=None):
    answer = _right(x, y, settings, steps, state)
    kept = answer["state"]
    return {**answer, "state": {**kept, "before_epoch": kept["generator"]}}
