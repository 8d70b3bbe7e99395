"""Takes the one result out of a tuple of one."""

_right_capture = capture


def capture(fn, *args, fullgraph=False):
    def once(*given):
        result = fn(*given)
        return result[0] if isinstance(result, tuple | list) and len(result) == 1 else result

    return _right_capture(once, *args, fullgraph=fullgraph)
