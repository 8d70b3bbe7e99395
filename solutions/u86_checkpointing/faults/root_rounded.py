"""Rounds the square root of n.

check = "8.6.f/the_lowest_peak"
stage = "numpy"
says = "This is the rounded square root. Where n is no square another number of segments can be better, or a smaller one as good."
"""


def best_segments(n):
    if n < 1:
        raise ValueError("no layers")
    return round(math.sqrt(n))
