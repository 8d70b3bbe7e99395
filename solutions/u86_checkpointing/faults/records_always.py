"""Records gradients whether they are wanted or not.

check = "8.6.h/without_gradients_nothing_is_kept"
stage = "torch"
says = "Under no_grad the inputs of all segments are still alive: the module switches recording on by itself."
"""


class _Recording(_Segments):
    def forward(self, x):
        with torch.enable_grad():
            return super().forward(x)


def checkpointed(model, segments):
    return _Recording(model, segments)
