"""Keeps the copies of buffers in the module: a second forward before the backward replaces them."""


class _OneCopy(_Segments):
    def _contexts(self, part):
        kept = _BuffersAsTheyWere(part)
        if not hasattr(self, "kept"):
            self.kept = {}
        self.kept[part] = kept
        outer = self

        class Latest:
            def __enter__(self):
                self.used = outer.kept[part]
                self.used.__enter__()

            def __exit__(self, *error):
                self.used.__exit__(*error)

        return nullcontext(), Latest()


def checkpointed(model, segments):
    return _OneCopy(model, segments)
