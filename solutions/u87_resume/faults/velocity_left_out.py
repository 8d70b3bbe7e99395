"""Goes on with a velocity of zeros.

check = "8.7.b/breaks_leave_no_trace"
stage = "numpy"
says = "The velocity is state: the first loss after the break is right, the second is not."
"""

_right = train


def train(x, y, settings, steps, state=None):
    answer = _right(x, y, settings, steps, state)
    kept = answer["state"]
    return {**answer, "state": {**kept, "v": np.zeros_like(kept["v"])}}
