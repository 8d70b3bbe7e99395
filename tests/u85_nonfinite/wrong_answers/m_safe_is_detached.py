"""Takes the graph away from what goes into the function."""


def where_safe(function, x, keep, safe, other):
    harmless = torch.where(keep, x, torch.full_like(x, safe))
    return torch.where(keep, function(harmless.detach()), other)
