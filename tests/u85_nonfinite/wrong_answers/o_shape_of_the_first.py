"""Takes the shape of the first mask."""


def additive_mask(keeps, dtype):
    if not keeps or any(keep.dtype != torch.bool for keep in keeps):
        raise ValueError("give boolean masks, at least one")
    keep = keeps[0]
    for other in keeps[1:]:
        keep = keep & other
    return torch.zeros(keeps[0].shape, dtype=dtype).masked_fill(~keep.expand(keeps[0].shape) if keep.numel() <= keeps[0].numel() else ~keep[tuple(0 if a != b else slice(None) for a, b in zip(keep.shape, keeps[0].shape))].reshape(keeps[0].shape), torch.finfo(dtype).min / 2)
