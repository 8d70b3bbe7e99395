"""Looks at all sizes that are symbols before those that are fixed."""

_right_mismatch = _mismatch


def _mismatch(old, new, dynamic):
    failed = _right_mismatch(old, new, dynamic)
    if failed and failed[0] == "size":
        for index, actual in enumerate(new.shape):
            if index in dynamic and actual < 2:
                return "zero_one", index, 2, actual
    return failed
