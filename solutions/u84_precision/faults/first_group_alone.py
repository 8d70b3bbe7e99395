"""Clips and looks at the first group of the optimizer's parameters.

check = "8.4.k/every_group_is_held"
stage = "torch"
says = "Only the first group of the optimizer's parameters was looked at. An optimizer has a list of groups: go through all of optimizer.param_groups."
"""

_all_groups = amp_step


def amp_step(model, optimizer, scaler, *arguments, **named):
    class First:
        param_groups = optimizer.param_groups[:1]

        def __getattr__(self, name):
            return getattr(optimizer, name)

    class Scaler:
        def __getattr__(self, name):
            return getattr(scaler, name)

        def unscale_(self, _):
            return scaler.unscale_(optimizer)

        def step(self, _):
            return scaler.step(optimizer)

    return _all_groups(model, First(), Scaler(), *arguments, **named)
