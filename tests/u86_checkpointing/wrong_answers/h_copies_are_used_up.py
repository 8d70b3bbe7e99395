"""Hands out the copies of buffers themselves, which the second run changes."""


class _UsedUp(_BuffersAsTheyWere):
    def __enter__(self):
        self.now = [(owner, name, owner._buffers[name]) for owner, name, _ in self.before]
        for owner, name, buffer in self.before:
            owner._buffers[name] = buffer


class _Once(_Segments):
    def _contexts(self, part):
        return nullcontext(), _UsedUp(part)


def checkpointed(model, segments):
    return _Once(model, segments)
