"""Clamps the input to the safe number, kept entries too."""


def where_safe(function, x, keep, safe, other):
    harmless = torch.where(keep, x, torch.full_like(x, safe)).clamp_min(safe)
    return torch.where(keep, function(harmless), other)
