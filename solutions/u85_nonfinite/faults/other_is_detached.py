"""Takes the other branch out of the graph.

check = "8.5.m/gradient_of_the_other_branch"
stage = "torch"
says = "The other branch got no gradient. It may have one of its own."
also = ["8.5.m/masks_that_broadcast"]
"""


def where_safe(function, x, keep, safe, other):
    harmless = torch.where(keep, x, torch.full_like(x, safe))
    return torch.where(keep, function(harmless), torch.as_tensor(other).detach().to(x.dtype))
