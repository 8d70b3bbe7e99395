"""Makes the mask in float32."""


def additive_mask(keeps, dtype):
    if not keeps or any(keep.dtype != torch.bool for keep in keeps):
        raise ValueError("give boolean masks, at least one")
    keep = keeps[0]
    for other in keeps[1:]:
        keep = keep & other
    return torch.zeros(keep.shape).masked_fill(~keep, torch.finfo(dtype).min / 2)
