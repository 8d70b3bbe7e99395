"""Counts the loss and not its total weight.

check = "8.4.i/live_forward"
stage = "numpy"
says = "Four bytes are missing: the loss keeps the total weight of its mean for the backward."
also = ["8.4.i/batch_from_which_autocast_pays"]
"""

_both_numbers = autocast_forward_bytes


def autocast_forward_bytes(widths, batch):
    kept = _both_numbers(widths, batch)
    terms = {**kept["terms"], "loss": 4}
    return {**kept, "fp32": kept["fp32"] - 4, "bf16": kept["bf16"] - 4, "terms": terms}
