"""Forgets that every compilation is paid for.

check = "8.8.d/the_first_call_that_pays"
stage = "numpy"
says = "Only one compilation was paid for. One graph for each of eight lengths costs eight."
"""


def break_even(cost, eager, compiled, compiles=1, _right=break_even):
    _right(cost, eager, compiled, compiles)
    return _right(cost, eager, compiled, min(compiles, 1))
