"""Returns a module that does not know its parameters.

check = "8.6.h/its_parameters_are_the_models"
stage = "torch"
says = "The module has no parameters of its own: a model that is kept in a list, or in a closure, is not registered. An optimizer made from it would train nothing."
"""


class _Hiding(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = [inner]

    def forward(self, x):
        return self.inner[0](x)


def checkpointed(model, segments):
    return _Hiding(_Segments(model, segments))
