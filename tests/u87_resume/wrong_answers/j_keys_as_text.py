"""Flattens each part to paths of text, in which 0 is "0" and an empty dict is nothing."""

_right_first = first_divergence


def _flattened(value, path=""):
    if isinstance(value, dict):
        return {k: v for key in value for k, v in _flattened(value[key], f"{path}/{key}").items()}
    if isinstance(value, (list, tuple)):
        found = {f"{path}/length": len(value)}
        for i, item in enumerate(value):
            found |= _flattened(item, f"{path}/{i}")
        return found
    return {path: value}


def first_divergence(run_a, run_b, tolerance=0.0):
    flat = [[{part: _flattened(value) for part, value in state.items()} for state in run]
            for run in (run_a, run_b)]
    return _right_first(*flat, tolerance)
