"""Moves the generator of the caller."""

_report = recompute_report


def recompute_report(model, x, segments, meter, early_stop=True):
    report = _report(model, x, segments, meter, early_stop)
    torch.rand(1)
    return report
