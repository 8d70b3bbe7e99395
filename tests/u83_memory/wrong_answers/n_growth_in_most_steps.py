"""Calls it a leak if most steps grow."""

def _rises(numbers):
    grows = [a < b for a, b in pairwise(numbers)]
    return sum(grows) > len(grows) / 2
