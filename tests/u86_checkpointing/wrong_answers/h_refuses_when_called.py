"""Looks at the number of segments when the model is run."""

_made = checkpointed


class _Lazy(nn.Module):
    def __init__(self, model, segments):
        super().__init__()
        self.model, self.segments = model, segments

    def forward(self, x):
        return _made(self.model, self.segments)(x)


def checkpointed(model, segments):
    return _Lazy(model, segments)
