"""Leaves the profiler on when the loader raises.

check = "8.9.k/a_loader_that_breaks"
stage = "torch"
says = "The loader raised and the profiler went on recording. Use it in a with statement, which ends it whatever happens."
"""


class _LeftOn:
    def __init__(self, **options):
        self.prof = _torchs_profile(**options)

    def __enter__(self):
        self.prof.start()
        return self.prof

    def __exit__(self, kind, error, traceback):
        if kind is None or kind is ValueError:
            self.prof.stop()


_torchs_profile = profile
profile = _LeftOn
