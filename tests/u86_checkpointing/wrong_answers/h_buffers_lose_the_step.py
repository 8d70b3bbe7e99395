"""After the second run buffers are as they were before the forward."""


class _Lost(_BuffersAsTheyWere):
    def __exit__(self, *error):
        super().__exit__(*error)
        for owner, name, buffer in self.before:
            owner._buffers[name].copy_(buffer)


class _Losing(_Segments):
    def _contexts(self, part):
        return nullcontext(), _Lost(part)


def checkpointed(model, segments):
    return _Losing(model, segments)
