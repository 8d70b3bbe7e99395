"""Lets the function see everything, and cleans the gradient with a hook.

check = "8.5.m/function_sees_safe_input_only"
stage = "torch"
says = "The function was called with entries that are not kept. Cleaning the gradient afterwards hides what else is bad in it."
"""


def where_safe(function, x, keep, safe, other):
    harmless = x + 0
    if harmless.requires_grad:
        harmless.register_hook(lambda g: torch.where(keep, g, torch.zeros_like(g)))
    return torch.where(keep, function(harmless), other)
