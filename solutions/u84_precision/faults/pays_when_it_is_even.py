"""Lets autocast pay where both need the same.

check = "8.4.i/batch_from_which_autocast_pays"
stage = "numpy"
says = "At this batch both need the same. The smallest batch with fewer bytes is asked for."
"""

_fewer_bytes = autocast_forward_bytes


def autocast_forward_bytes(widths, batch):
    kept = _fewer_bytes(widths, batch)
    gained = sum(int(w) for w in widths[1:-1]) - int(widths[0])
    even = math.ceil(kept["terms"]["weight_copies"] / 2 / gained) if gained > 0 else None
    return {**kept, "break_even": even}
