"""Writes the entries of arrays as numbers, in which all NaN are one."""

def _flat(value, arrays):
    if isinstance(value, dict):
        if not all(type(key) is str for key in value):
            raise ValueError(f"keys must be text, not {list(value)}")
        return {"dict": [[key, _flat(item, arrays)] for key, item in value.items()]}
    if isinstance(value, (list, tuple)):
        return [_flat(item, arrays) for item in value]
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        value = value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {"array": value.ravel().tolist(), "dtype": value.dtype.str, "shape": value.shape}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ValueError(f"a state cannot hold a {type(value).__name__}")


def _deep(value, arrays):
    if isinstance(value, list):
        return [_deep(item, arrays) for item in value]
    if isinstance(value, dict) and "array" in value:
        return np.array(value["array"], value["dtype"]).reshape(value["shape"])
    if isinstance(value, dict):
        return {key: _deep(item, arrays) for key, item in value["dict"]}
    return value
