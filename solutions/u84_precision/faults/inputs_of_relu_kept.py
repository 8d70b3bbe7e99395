"""Counts the input of each ReLU as well as its output.

check = "8.4.i/live_forward"
stage = "numpy"
says = "Each ReLU was counted twice. It keeps its output, which is also the next layer's input: one storage."
also = ["8.4.i/batch_from_which_autocast_pays"]
"""

_outputs_alone = autocast_forward_bytes


def autocast_forward_bytes(widths, batch):
    kept = _outputs_alone(widths, batch)
    more = kept["terms"]["activations"]
    terms = {**kept["terms"], "activations": 2 * more}
    first, *hidden, _ = [int(width) for width in widths]
    copies = kept["terms"]["weight_copies"] // 2
    gained = 2 * sum(hidden) - first
    even = copies // gained + 1 if gained > 0 else None
    return {
        "fp32": kept["fp32"] + 2 * more,
        "bf16": kept["bf16"] + more,
        "terms": terms,
        "break_even": even,
    }
