"""Clears the pre-hooks of others with its own."""

_searched = first_bad_forward


def first_bad_forward(model, batch, allow=()):
    try:
        return _searched(model, batch, allow)
    finally:
        for module in model.modules():
            module._forward_pre_hooks.clear()
