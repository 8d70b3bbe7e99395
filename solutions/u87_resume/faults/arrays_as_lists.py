"""Stores arrays as lists of numbers.

check = "8.7.c/every_kind_of_value_comes_back"
stage = "numpy"
says = "A list has no dtype and no empty dimension: an array must come back as what it was."
"""

_right = pack_state


def pack_state(state):
    return _right(_listed(state))


def _listed(value):
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_listed(item) for item in value]
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value.tolist()
    return value
