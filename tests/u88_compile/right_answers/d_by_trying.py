"""Finds the number of calls by bisection."""

def break_even(cost, eager, compiled, compiles=1):
    for number in (cost, eager, compiled, compiles):
        if not (number >= 0 and number < float("inf")):
            raise ValueError("no such number")

    def paid(calls):
        return cost * compiles + calls * compiled <= calls * eager

    high = 1
    while not paid(high):
        high *= 2
        if high > 1 << 40:
            return float("inf")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if paid(middle) else (middle, high)
    return np.int64(high)
