"""A dynamic number may be a float where an int was."""

def _mismatch(old, new, dynamic, _right=_mismatch):
    if None in dynamic and _is_number(new):
        return None
    return _right(old, new, dynamic)
