"""Looks at a few numbers round the root."""


def best_segments(n):
    if n < 1:
        raise ValueError("n")
    root = math.isqrt(n)
    near = range(max(1, root - root // 2 - 2), min(n, root + 3) + 1)
    return min(near, key=lambda k: (k + (n - 1) // k + 1, k))
