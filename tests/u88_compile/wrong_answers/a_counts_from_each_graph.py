"""Numbers the results anew in each graph."""

class _Tape(_Tape):
    def split(self, kind):
        super().split(kind)
        self.count = 0
