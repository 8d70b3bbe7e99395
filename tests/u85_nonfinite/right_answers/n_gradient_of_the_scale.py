"""Lets the gradient pass through the largest entry as well, which cancels: unusual, and right."""


def unit_rows(x, eps=1e-6):
    if x.shape[-1] == 0:
        return x.clone()
    scale = x.detach().abs().amax(-1, keepdim=True).clamp_min(eps)
    scaled = x / scale
    square = scaled.square().sum(-1, keepdim=True)
    return scaled / square.clamp_min((eps / scale).square()).sqrt()
