"""Makes a dict of the trace: of a name that repeats, only the last array is looked at."""

_of_all = first_invalid


def first_invalid(trace, allow=()):
    return _of_all(list(dict(trace).items()), allow)
