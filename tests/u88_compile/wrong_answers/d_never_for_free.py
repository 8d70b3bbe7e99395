"""Says infinite for code that is not slower and costs nothing."""

def break_even(cost, eager, compiled, compiles=1, _right=break_even):
    calls = _right(cost, eager, compiled, compiles)
    return math.inf if eager == compiled else calls
