"""Leaves a hook that is called for every module of every model."""

_as_it_was = recompute_report


def recompute_report(model, x, segments, meter, early_stop=True):
    torch.nn.modules.module.register_module_forward_pre_hook(lambda module, inputs: None)
    return _as_it_was(model, x, segments, meter, early_stop)
