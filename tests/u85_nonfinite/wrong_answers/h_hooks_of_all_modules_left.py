"""Leaves a hook that is called for every module of every model."""

_searched = first_bad_forward


def first_bad_forward(model, batch, allow=()):
    torch.nn.modules.module.register_module_forward_hook(lambda module, args, output: None)
    return _searched(model, batch, allow)
