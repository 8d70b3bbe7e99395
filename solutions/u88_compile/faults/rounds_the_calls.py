"""Rounds the number of calls to the nearest.

check = "8.8.d/the_first_call_that_pays"
stage = "numpy"
says = "The number of calls was rounded. A part of a call does not pay: it is the next whole one."
"""


def break_even(cost, eager, compiled, compiles=1, _right=break_even):
    exact = _right(cost, eager, compiled, compiles)
    return (
        exact
        if exact == math.inf or eager == compiled
        else max(1, round(cost * compiles / (eager - compiled)))
    )
