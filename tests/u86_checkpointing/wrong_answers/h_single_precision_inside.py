"""Leaves autocast inside the segments."""


class _Outside(_Segments):
    def forward(self, x):
        with torch.autocast("cpu", enabled=False):
            return super().forward(x)


def checkpointed(model, segments):
    return _Outside(model, segments)
