"""Cares for BatchNorm and for no other buffer."""


class _Frozen:
    def __init__(self, part):
        self.norms = [m for m in part.modules() if isinstance(m, nn.BatchNorm1d)]

    def __enter__(self):
        self.inner = [_BuffersAsTheyWere(norm) for norm in self.norms]
        for inner in self.inner:
            inner.__enter__()

    def __exit__(self, *error):
        for inner in self.inner:
            inner.__exit__(*error)


class _NormsAlone(_Segments):
    def _contexts(self, part):
        return nullcontext(), _Frozen(part)


def checkpointed(model, segments):
    return _NormsAlone(model, segments)
