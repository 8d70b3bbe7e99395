"""Squares the entries as they are.

check = "8.5.n/rows_whose_squares_overflow"
stage = "torch"
says = "The squares overflow, or vanish, where the row does not. Divide each row by its largest entry first."
"""


def unit_rows(x, eps=1e-6):
    if x.shape[-1] == 0:
        return x.clone()
    scale = torch.ones_like(x[..., :1])
    scaled = x / scale
    square = scaled.square().sum(-1, keepdim=True)
    # (eps / scale) ** 2 bounds what goes into the root; scale and its square cancel
    return scaled / square.clamp_min((eps / scale) ** 2).sqrt()
