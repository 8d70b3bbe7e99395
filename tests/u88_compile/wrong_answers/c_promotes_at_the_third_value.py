"""Makes a symbol at the third value instead of the second."""

def compile_log(calls, dynamic=None, limit=8, _right=compile_log):
    if dynamic is not None or not calls:
        return _right(calls, dynamic, limit)
    return _right(calls[:1], False, limit) + _right(calls[1:], dynamic, limit)
