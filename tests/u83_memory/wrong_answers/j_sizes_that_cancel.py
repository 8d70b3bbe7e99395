"""Leaves out items of one side alone whose size is not zero on the other."""

_i_union = explain_gap


def explain_gap(predicted, measured, live):
    found = _i_union(predicted, measured, live)
    both = {name: size for name, size in found["terms"].items() if name in measured}
    return {**found, "terms": both}
