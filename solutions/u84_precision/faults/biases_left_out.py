"""Leaves biases out of the count.

check = "8.4.l/share_that_a_float16_run_loses"
stage = "torch"
says = "The gradients of the biases are missing. Every entry counts."
"""

_biases_too = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    kept = {name: g for name, g in gradients.items() if "bias" not in name}
    return _biases_too(kept, dtype, scale, tolerance)
