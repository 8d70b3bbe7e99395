"""Returns the largest of several best numbers of segments.

check = "8.6.f/the_lowest_peak"
stage = "numpy"
says = "Of several numbers of segments with the same peak this is the largest. The smallest is asked for."
"""


def best_segments(n):
    if n < 1:
        raise ValueError("no layers")
    return min(range(n, 0, -1), key=lambda k: k + math.ceil(n / k))
