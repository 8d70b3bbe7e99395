"""Rounds the root up."""


def best_segments(n):
    if n < 1:
        raise ValueError("n")
    return math.isqrt(n - 1) + 1
