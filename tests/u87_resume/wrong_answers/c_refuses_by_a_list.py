"""Refuses the kinds of arrays on a list, and lets all others in."""

_right_flat = _flat


def _flat(value, arrays):
    if isinstance(value, np.ndarray) and value.dtype.kind not in "OUMc":
        name = f"array{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if isinstance(value, dict):
        if not all(type(key) is str for key in value):
            raise ValueError
        return {"dict": [[key, _flat(item, arrays)] for key, item in value.items()]}
    if isinstance(value, (list, tuple)):
        return [_flat(item, arrays) for item in value]
    return _right_flat(value, arrays)
