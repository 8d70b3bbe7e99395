"""Checkpoints a model in training, and runs it as it is in evaluation."""


class _InTraining(_Segments):
    def forward(self, x):
        if any(block.training for part in self.parts for block in part):
            return super().forward(x)
        for part in self.parts:
            x = part(x)
        return x


def checkpointed(model, segments):
    return _InTraining(model, segments)
