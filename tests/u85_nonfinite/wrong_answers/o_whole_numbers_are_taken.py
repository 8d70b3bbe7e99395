"""Refuses floating-point masks alone: 0 and 1 are taken for booleans."""


def additive_mask(keeps, dtype):
    if not keeps or any(keep.is_floating_point() for keep in keeps):
        raise ValueError("masks")
    keep = keeps[0].bool()
    for other in keeps[1:]:
        keep = keep & other.bool()
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min / 2)
