"""Counts the peak of the backward from where the backward began."""

_report = recompute_report


def recompute_report(model, x, segments, meter, early_stop=True):
    report = _report(model, x, segments, meter, early_stop)
    peak = report["peak"]
    return {**report, "peak": {**peak, "backward": peak["backward"] - report["live"]}}
