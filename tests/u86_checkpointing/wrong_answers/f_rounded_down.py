"""Rounds the longest segment down."""


def best_segments(n):
    if n < 1:
        raise ValueError("n")
    return min(range(1, n + 1), key=lambda k: k + n // k)
