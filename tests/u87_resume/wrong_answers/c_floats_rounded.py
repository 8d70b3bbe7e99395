"""Rounds floats to twelve digits."""

_plain = pack_state


def pack_state(state):
    return _plain(_rounded(state))


def _rounded(value):
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(item) for item in value]
    return float(f"{value:.12g}") if type(value) is float else value
