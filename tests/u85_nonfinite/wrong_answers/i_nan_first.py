"""Names NaN wherever it is in a gradient, though an infinity stands before it."""

_first_bad_in_order = _first_bad


def _first_bad(tensor, allow_masked=False):
    found = _first_bad_in_order(tensor, allow_masked)
    return (found[0], "nan") if found and tensor.isnan().any() else found
