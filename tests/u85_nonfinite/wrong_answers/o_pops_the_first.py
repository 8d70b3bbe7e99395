"""Takes the first mask off the list that it is given."""


def additive_mask(keeps, dtype):
    if not keeps or any(keep.dtype != torch.bool for keep in keeps):
        raise ValueError("give boolean masks, at least one")
    keep = keeps.pop(0)
    while keeps:
        keep = keep & keeps.pop(0)
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min / 2)
