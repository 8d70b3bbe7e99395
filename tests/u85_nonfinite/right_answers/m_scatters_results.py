"""Calls the function on the kept entries alone."""


def where_safe(function, x, keep, safe, other):
    keep = keep.broadcast_to(x.shape)
    rest = torch.as_tensor(other).to(x.dtype).broadcast_to(x.shape)
    return rest.masked_scatter(keep, function(x.masked_select(keep)))
