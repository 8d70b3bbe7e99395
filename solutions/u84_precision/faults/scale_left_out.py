"""Takes no notice of the scale.

check = "8.4.l/shares_of_lost_entries"
stage = "torch"
says = "The scale changed nothing. Multiply the entries by it before they are cast."
also = ["8.4.l/share_that_a_float16_run_loses", "8.4.l/gradients_that_say_nothing"]
"""

_with_the_scale = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    return _with_the_scale(gradients, dtype, 1.0, tolerance)
