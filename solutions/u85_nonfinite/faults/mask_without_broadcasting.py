"""Indexes with a mask that has to have the shape of x.

check = "8.5.m/masks_that_broadcast"
stage = "torch"
says = "The mask broadcasts to the shape of x, as in torch.where; as an index it does not."
"""


def where_safe(function, x, keep, safe, other):
    result = torch.zeros_like(x) + other
    result[keep] = function(x[keep])
    return result
