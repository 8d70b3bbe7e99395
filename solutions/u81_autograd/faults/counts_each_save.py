"""Adds the buffer's bytes for each save.

check = "8.1.e/each_buffer_once"
stage = "numpy"
says = "Each save was counted. What is saved twice lies in one buffer, and is kept once."
also = [
  "8.1.e/views_cost_their_whole_buffer",
  "8.1.e/parameters_by_their_buffer",
]
"""

_once_saved_bytes = saved_bytes


def saved_bytes(saved, params):
    result = _once_saved_bytes(saved, params)
    known = {id(_owner(array)) for array in params}
    owners = [_owner(array) for array in saved if id(_owner(array)) not in known]
    return {**result, "buffers": len(owners), "bytes": sum(owner.nbytes for owner in owners)}
