"""Counts epochs anew after each break.

check = "8.7.b/breaks_leave_no_trace"
stage = "numpy"
says = "The epoch sets the learning rate, so its number is state: this run went back to the rate of the first epoch."
source = "facebookresearch/detectron2#3381"
"""

_right = train


def train(x, y, settings, steps, state=None):
    answer = _right(x, y, settings, steps, state)
    return {**answer, "state": {**answer["state"], "epoch": 0}}
