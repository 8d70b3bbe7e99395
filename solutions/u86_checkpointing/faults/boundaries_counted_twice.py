"""Takes a boundary for twice as large as the output of a layer.

check = "8.6.f/square_root_of_the_layers"
stage = "numpy"
says = "The optimum is at the root of half the layers here: each stored input was counted twice, as if input and output of a segment were both kept."
# the same result is looked at there
also = [
  "8.6.f/the_lowest_peak",
]
"""


def best_segments(n):
    if n < 1:
        raise ValueError("no layers")
    return min(range(1, n + 1), key=lambda k: 2 * k + math.ceil(n / k))
