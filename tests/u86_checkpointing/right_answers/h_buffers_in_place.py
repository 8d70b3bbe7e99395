"""Old values are written into the buffers for the second run, and the new ones back."""


class _InPlace:
    def __init__(self, module):
        self.buffers = list(module.buffers())
        self.old = [buffer.clone() for buffer in self.buffers]

    def __enter__(self):
        self.new = [buffer.clone() for buffer in self.buffers]
        for buffer, value in zip(self.buffers, self.old, strict=True):
            buffer.data.copy_(value)

    def __exit__(self, *error):
        for buffer, value in zip(self.buffers, self.new, strict=True):
            buffer.data.copy_(value)


class _Writing(_Segments):
    def _contexts(self, part):
        return nullcontext(), _InPlace(part)


def checkpointed(model, segments):
    return _Writing(model, segments)
