"""Marks arrays in a way that a dict of the state may look like.

check = "8.7.c/every_kind_of_value_comes_back"
stage = "numpy"
says = "A dict of the state that looks like your mark for an array came back as an array: mark dicts as well."
also = [
  "8.7.d/nothing_is_unpickled",
]
"""


def _flat(value, arrays):
    if isinstance(value, dict) and all(type(key) is str for key in value):
        return {key: _flat(item, arrays) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_flat(item, arrays) for item in value]
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        arrays[f"array{len(arrays)}"] = value
        return {"array": f"array{len(arrays) - 1}"}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ValueError("no state")


def _deep(value, arrays):
    if isinstance(value, list):
        return [_deep(item, arrays) for item in value]
    if isinstance(value, dict) and "array" in value:
        return arrays[value["array"]]
    return {k: _deep(v, arrays) for k, v in value.items()} if isinstance(value, dict) else value
