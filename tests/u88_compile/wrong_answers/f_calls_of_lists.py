"""Takes tuples of arguments alone."""

_right_counts = compile_counts


def compile_counts(fn, calls, dynamic=None):
    if any(isinstance(call, list) for call in calls):
        raise TypeError
    return _right_counts(fn, calls, dynamic)
