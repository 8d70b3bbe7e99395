"""Makes the input itself require a gradient."""

_plain_checkpointed = checkpointed


class _Demanding(_Segments):
    def forward(self, x):
        return super().forward(x.requires_grad_() if x.is_leaf else x)


def checkpointed(model, segments):
    return _Demanding(model, segments)
