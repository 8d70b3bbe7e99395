"""Recognises a parameter only if the very array was saved.

check = "8.1.e/parameters_by_their_buffer"
stage = "numpy"
says = "A view of a parameter was counted. It is another object, on the parameter's buffer."
"""

_by_buffer_saved_bytes = saved_bytes


def saved_bytes(saved, params):
    known = {id(array) for array in params}
    result = _by_buffer_saved_bytes([array for array in saved if id(array) not in known], [])
    return {**result, "packs": len(saved)}
