"""Counts no copy of the input.

check = "8.4.i/terms_of_the_forward"
stage = "numpy"
says = "The copy of the input was forgotten: the gradient of the first weight needs it in bfloat16."
also = ["8.4.i/live_forward", "8.4.i/batch_from_which_autocast_pays"]
"""

_with_the_input = autocast_forward_bytes


def autocast_forward_bytes(widths, batch):
    kept = _with_the_input(widths, batch)
    bf16 = kept["bf16"] - kept["terms"]["input_copy"]
    hidden = sum(int(width) for width in widths[1:-1])
    even = kept["terms"]["weight_copies"] // 2 // hidden + 1 if hidden else None
    return {**kept, "bf16": bf16, "terms": {**kept["terms"], "input_copy": 0}, "break_even": even}
