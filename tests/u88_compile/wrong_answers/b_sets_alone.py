"""Takes sets of places, and no other collection."""

_right_failure = guard_failure


def guard_failure(example, args, dynamic=frozenset(), shared=frozenset()):
    return _right_failure(example, args, dynamic | frozenset(), shared | frozenset())
