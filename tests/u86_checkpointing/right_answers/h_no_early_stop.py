"""Runs each segment to its end."""


class _ToTheEnd(_Segments):
    def forward(self, x):
        with set_checkpoint_early_stop(False):
            return super().forward(x)


def checkpointed(model, segments):
    return _ToTheEnd(model, segments)
