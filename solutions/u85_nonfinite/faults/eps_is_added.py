"""Adds eps to the norm.

check = "8.5.n/rows_shorter_than_eps"
stage = "torch"
says = "The norm was made longer by eps, so that no row has length one. Bound it from below instead."
also = ["8.5.n/rows_of_zeros_have_a_gradient"]
"""


def unit_rows(x, eps=1e-6):
    if x.shape[-1] == 0:
        return x.clone()
    scale = x.detach().abs().amax(-1, keepdim=True).clamp_min(eps)
    scaled = x / scale
    square = scaled.square().sum(-1, keepdim=True)
    # (eps / scale) ** 2 bounds what goes into the root; scale and its square cancel
    return scaled / (square.clamp_min(1e-30).sqrt() + eps / scale)
