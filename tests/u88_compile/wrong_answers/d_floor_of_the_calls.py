"""Rounds down, one call too early."""

def break_even(cost, eager, compiled, compiles=1, _right=break_even):
    calls = _right(cost, eager, compiled, compiles)
    return calls if calls in (1, math.inf) else int(cost * compiles // (eager - compiled)) or 1
