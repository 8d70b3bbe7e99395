"""Has a function of its own at the end of each segment: no leak on torch 2.13."""


class _Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


class _Ended(_Segments):
    def forward(self, x):
        for part in self.parts:
            x = checkpoint(
                lambda t, part=part: _Same.apply(part(t)),
                x,
                use_reentrant=False,
                context_fn=lambda part=part: self._contexts(part),
            )
        return x


def checkpointed(model, segments):
    return _Ended(model, segments)
