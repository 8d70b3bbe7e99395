"""With dynamic=True, lets sizes of one array alone share a symbol."""

_right_failure = guard_failure
_in_log = compile_log


def compile_log(calls, dynamic=None, limit=8):
    def failure(example, args, places=(), shared=()):
        found = _right_failure(example, args, places, ())
        if found is None:
            for number in range(len(example)):
                found = found or _right_failure(
                    example, args, places, {place for place in shared if place[0] == number}
                )
        return found

    compile_log.__globals__["guard_failure"] = failure
    try:
        return _in_log(calls, dynamic, limit)
    finally:
        compile_log.__globals__["guard_failure"] = _right_failure
