"""Cleans the gradient with a hook."""


def where_safe(function, x, keep, safe, other):
    y = x + 0
    if y.requires_grad:
        y.register_hook(lambda g: g.nan_to_num(0.0, 0.0, 0.0))
    return torch.where(keep, function(y), other)
