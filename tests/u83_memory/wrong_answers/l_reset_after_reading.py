"""Resets the peak after each phase instead of before the first."""

class _Late:
    def __init__(self, meter):
        self.meter, self.first = meter, True

    def __enter__(self):
        self.meter.__enter__()
        return self

    def __exit__(self, *error):
        return self.meter.__exit__(*error)

    live = property(lambda self: self.meter.live)
    peak = property(lambda self: self.meter.peak)

    def reset_peak(self):
        if not self.first:
            self.meter.reset_peak()
        self.first = False


_k_early = phase_memory


def phase_memory(phases, meter):
    phases = [("", lambda: None), *phases]
    found = _k_early(phases, _Late(meter))
    found["phases"].pop("")
    return found
