"""Clamps the result of the root, not what goes in.

check = "8.5.n/rows_of_zeros_have_a_gradient"
stage = "torch"
says = "The value was clamped, but the root had an infinite slope at 0 already. Clamp what goes into it."
also = ["8.5.n/rows_whose_squares_overflow"]
source = "keras-team/keras#23075, pytorch/pytorch#2421"
"""


def unit_rows(x, eps=1e-6):
    if x.shape[-1] == 0:
        return x.clone()
    scale = x.detach().abs().amax(-1, keepdim=True).clamp_min(eps)
    scaled = x / scale
    square = scaled.square().sum(-1, keepdim=True)
    # (eps / scale) ** 2 bounds what goes into the root; scale and its square cancel
    return scaled / square.sqrt().maximum(eps / scale)
