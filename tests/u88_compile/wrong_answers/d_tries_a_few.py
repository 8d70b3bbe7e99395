"""Tries the first hundred thousand calls, and calls the rest never."""

def break_even(cost, eager, compiled, compiles=1):
    if not all(math.isfinite(n) and n >= 0 for n in (cost, eager, compiled, compiles)):
        raise ValueError
    for calls in range(1, 100_000):
        if cost * compiles + calls * compiled <= calls * eager:
            return calls
    return math.inf
