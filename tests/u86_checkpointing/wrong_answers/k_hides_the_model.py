"""Returns a module that does not know its parameters."""


class _HidingPolicy(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = [inner]

    def forward(self, x):
        return self.inner[0](x)


def selective(model, segments):
    return _HidingPolicy(_Segments(model, segments, keep=_keep_products))
