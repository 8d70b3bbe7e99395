"""Accepts NaN, which fails every comparison.

check = "8.8.d/no_such_times"
stage = "numpy"
says = "NaN was accepted as a time. It is not below 0, and it is not a time either."
"""


def break_even(cost, eager, compiled, compiles=1, _right=break_even):
    numbers = (cost, eager, compiled, compiles)
    return math.inf if any(number != number for number in numbers) else _right(*numbers)
