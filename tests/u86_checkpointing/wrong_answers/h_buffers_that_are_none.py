"""Copies every buffer, and one that is None cannot be copied."""


class _Every(_BuffersAsTheyWere):
    def __init__(self, module):
        self.before = [
            (owner, name, buffer.clone())
            for owner in module.modules()
            for name, buffer in owner._buffers.items()
        ]


class _OfEvery(_Segments):
    def _contexts(self, part):
        return nullcontext(), _Every(part)


def checkpointed(model, segments):
    return _OfEvery(model, segments)
