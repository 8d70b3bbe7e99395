"""Clears all forward hooks afterwards, those of the model's owner too."""


_hooked_search = first_bad_forward


def first_bad_forward(model, batch, allow=()):
    try:
        return _hooked_search(model, batch, allow)
    finally:
        for module in model.modules():
            module._forward_hooks.clear()
