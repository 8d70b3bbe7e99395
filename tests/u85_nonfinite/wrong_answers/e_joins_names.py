"""Holds names against the whole list as text."""

_by_name = first_invalid


def first_invalid(trace, allow=()):
    text = " ".join(allow)
    return _by_name(trace, [name for name, _ in trace if name in text.split()])
