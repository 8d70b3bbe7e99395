"""Says whether this batch pays instead of which is the first that does."""

_true = autocast_forward_bytes


def autocast_forward_bytes(widths, batch):
    found = _true(widths, batch)
    return {**found, "break_even": batch if found["bf16"] < found["fp32"] else None}
