"""Puts the blocks into the mode that they had when the module was made."""


class _ModeOfMaking(_Segments):
    def __init__(self, model, segments):
        super().__init__(model, segments)
        self.mode = model.training

    def forward(self, x):
        self.parts.train(self.mode)
        return super().forward(x)


def checkpointed(model, segments):
    return _ModeOfMaking(model, segments)
