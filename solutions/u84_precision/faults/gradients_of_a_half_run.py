"""Takes gradients of a half-precision run for true ones.

check = "8.4.l/gradients_that_say_nothing"
stage = "torch"
says = "Gradients in a half say nothing about what a half loses: it is lost in them already. Refuse them."
also = ["8.4.l/ends_of_the_half_formats"]
"""

_true_ones = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    raised = {n: None if g is None else g.float() for n, g in gradients.items()}
    return _true_ones(raised, dtype, scale, tolerance)
