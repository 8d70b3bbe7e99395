"""Records gradients whether they are wanted or not."""


class _RecordingPolicy(_Segments):
    def forward(self, x):
        with torch.enable_grad():
            return super().forward(x)


def selective(model, segments):
    return _RecordingPolicy(model, segments, keep=_keep_products)
