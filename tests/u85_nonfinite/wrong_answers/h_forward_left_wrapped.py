"""Wraps the forward of each leaf module and leaves it wrapped."""

_searched = first_bad_forward


def first_bad_forward(model, batch, allow=()):
    for module in model.modules():
        if not list(module.children()):
            forward = module.forward
            module.forward = lambda *args, _inner=forward, **named: _inner(*args, **named)
    return _searched(model, batch, allow)
