"""Calls a parameter that was handed in as input, too, an input; forgets inputs."""

_original = saved_report


def saved_report(fn, params=(), inputs=()):
    return _original(fn, params, ())
