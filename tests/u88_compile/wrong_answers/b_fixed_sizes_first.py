"""Looks at all sizes that are fixed before those that are symbols."""

_right_mismatch = _mismatch


def _mismatch(old, new, dynamic):
    failed = _right_mismatch(old, new, dynamic)
    if failed and failed[0] == "zero_one":
        for index, (expected, actual) in enumerate(zip(old.shape, new.shape, strict=True)):
            if index not in dynamic and expected != actual:
                return "size", index, expected, actual
    return failed
