"""Halves the momentum, so to speak: the averages are right, the count is not."""


class _Adapted(_Segments):
    def _contexts(self, part):
        return nullcontext(), nullcontext()


def checkpointed(model, segments):
    for module in model.modules():
        if isinstance(module, nn.BatchNorm1d):
            module.momentum = 1 - (1 - module.momentum) ** 0.5
    return _Adapted(model, segments)
