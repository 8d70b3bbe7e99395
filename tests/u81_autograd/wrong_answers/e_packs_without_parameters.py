"""Leaves parameters out of packs."""

_original = saved_bytes


def saved_bytes(saved, params):
    result = _original(saved, params)
    known = {id(_owner(array)) for array in params}
    return {**result, "packs": sum(id(_owner(array)) not in known for array in saved)}
