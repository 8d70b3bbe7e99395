"""Keeps the entries of arrays as float64."""

_right_flat = _flat


def _flat(value, arrays):
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        name = f"array{len(arrays)}"
        arrays[name] = np.asarray(value, np.float64)
        return {"array": name, "dtype": value.dtype.str}
    if isinstance(value, dict):
        if not all(type(key) is str for key in value):
            raise ValueError
        return {"dict": [[key, _flat(item, arrays)] for key, item in value.items()]}
    if isinstance(value, (list, tuple)):
        return [_flat(item, arrays) for item in value]
    return _right_flat(value, arrays)


def _deep(value, arrays):
    if isinstance(value, list):
        return [_deep(item, arrays) for item in value]
    if isinstance(value, dict) and "array" in value:
        return arrays[value["array"]].astype(value["dtype"])
    if isinstance(value, dict):
        return {key: _deep(item, arrays) for key, item in value["dict"]}
    return value
