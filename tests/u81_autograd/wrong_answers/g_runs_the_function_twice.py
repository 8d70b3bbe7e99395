"""Runs the function once to look and once for its output."""

_original = saved_report


def saved_report(fn, params=(), inputs=()):
    params, inputs = list(params), list(inputs)
    _, report = _original(fn, params, inputs)
    return fn(), report
