"""Counts the bytes of the view that was saved first.

check = "8.1.e/views_cost_their_whole_buffer"
stage = "numpy"
says = "The bytes are those of the views. A view keeps the whole buffer alive that it was cut from."
"""

_whole_saved_bytes = saved_bytes


def saved_bytes(saved, params):
    result = _whole_saved_bytes(saved, params)
    known, first = {id(_owner(array)) for array in params}, {}
    for array in saved:
        if id(_owner(array)) not in known:
            key = id(_owner(array))
            first[key] = max(first.get(key, 0), array.nbytes)
    return {**result, "bytes": sum(first.values())}
