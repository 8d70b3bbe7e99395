"""Compares the last states."""

_right = first_divergence


def first_divergence(run_a, run_b, tolerance=0.0):
    answer = _right(run_a[-1:], run_b[-1:], tolerance)
    return answer and {**answer, "step": min(len(run_a), len(run_b)) - 1}
