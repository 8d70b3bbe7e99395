"""Runs segments without a parameter to train as they are."""


class _Trained(_Segments):
    def forward(self, x):
        for part in self.parts:
            if any(parameter.requires_grad for parameter in part.parameters()):
                x = checkpoint(
                    part, x, use_reentrant=False, context_fn=lambda part=part: self._contexts(part)
                )
            else:
                x = part(x)
        return x


def selective(model, segments):
    return _Trained(model, segments, keep=_keep_products)
