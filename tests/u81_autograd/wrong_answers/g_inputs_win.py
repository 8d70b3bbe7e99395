"""Calls a tensor that is handed in as parameter and as input an input."""

_original = saved_report


def saved_report(fn, params=(), inputs=()):
    params, inputs = list(params), list(inputs)
    twice = {_storage_key(t) for t in inputs}
    output, report = _original(fn, [p for p in params if _storage_key(p) not in twice], inputs)
    return output, report
