"""Compares shared sizes within one argument alone."""

def guard_failure(example, args, dynamic=(), shared=(), _right=guard_failure):
    for number in range(len(args)):
        failed = _right(example, args, dynamic, {place for place in shared if place[0] == number})
        if failed:
            return failed
    return _right(example, args, dynamic)
