"""JSON with its keys sorted: a dict is equal in any order."""

_plain_flat = _flat


def _flat(value, arrays):
    if isinstance(value, dict):
        if not all(type(key) is str for key in value):
            raise ValueError
        return {"dict": [[key, _flat(value[key], arrays)] for key in sorted(value)]}
    if isinstance(value, (list, tuple)):
        return [_flat(item, arrays) for item in value]
    return _plain_flat(value, arrays)
