"""Takes the shape of the largest mask."""


def additive_mask(keeps, dtype):
    if not keeps or any(keep.dtype != torch.bool for keep in keeps):
        raise ValueError("masks")
    largest = max(keeps, key=lambda keep: keep.numel())
    keep = torch.ones_like(largest)
    for other in keeps:
        keep &= other.expand_as(keep)
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min / 2)
