"""Looks at the dtype of the last mask alone."""


def additive_mask(keeps, dtype):
    if not keeps or keeps[-1].dtype != torch.bool:
        raise ValueError("masks")
    keep = keeps[0].bool()
    for other in keeps[1:]:
        keep = keep & other.bool()
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min / 2)
