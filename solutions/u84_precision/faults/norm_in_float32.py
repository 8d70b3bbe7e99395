"""Takes the norm in float32 and goes by it.

check = "8.4.k/large_gradients_are_finite"
stage = "torch"
says = "A norm in float32 is infinite from entries of about 2e19 on, since it squares them. The gradients are finite: look at the entries, or take the norm in float64."
"""


def _norm(gradients):
    return torch.cat([gradient.flatten() for gradient in gradients]).norm()
