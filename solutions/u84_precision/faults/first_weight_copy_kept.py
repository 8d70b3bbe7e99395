"""Counts a copy of the first weight, too.

check = "8.4.i/terms_of_the_forward"
stage = "numpy"
says = "The copy of the first weight was counted. It would be needed for the gradient of the input, and nobody asks for that."
also = ["8.4.i/live_forward"]
"""

_later_copies = autocast_forward_bytes


def autocast_forward_bytes(widths, batch):
    kept = _later_copies(widths, batch)
    first = 2 * int(widths[0]) * int(widths[1])
    terms = {**kept["terms"], "weight_copies": kept["terms"]["weight_copies"] + first}
    gained = sum(int(w) for w in widths[1:-1]) - int(widths[0])
    even = terms["weight_copies"] // 2 // gained + 1 if gained > 0 else None
    return {**kept, "bf16": kept["bf16"] + first, "terms": terms, "break_even": even}
