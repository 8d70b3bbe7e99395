"""Tracks nothing before it measures.

check = "8.6.i/bytes_that_the_forward_leaves"
stage = "torch"
says = "The weights were counted as new: weight.t() is a new tensor on an old storage, which the ledger did not know. Track the model and the input first."
# the same result is looked at there
also = [
  "8.6.i/peak_of_each_phase",
]
"""


class _Untracked:
    def __init__(self, ledger):
        self.ledger = ledger

    def track(self, *things):
        pass

    def __getattr__(self, name):
        return getattr(self.ledger, name)

    def __enter__(self):
        return self.ledger.__enter__()

    def __exit__(self, *error):
        return self.ledger.__exit__(*error)


_tracking_report = recompute_report


def recompute_report(model, x, segments, meter, early_stop=True):
    return _tracking_report(model, x, segments, lambda: _Untracked(meter()), early_stop)
