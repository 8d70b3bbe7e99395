"""Takes the largest difference of all parts, also of those that agree within the tolerance."""

_judged_j = first_divergence


def first_divergence(run_a, run_b, tolerance=0.0):
    found = _judged_j(run_a, run_b, tolerance)
    if found and found["step"] < min(len(run_a), len(run_b)):
        every = _judged_j([run_a[found["step"]]], [run_b[found["step"]]], 0.0)
        found["largest"] = every["largest"]
    return found
