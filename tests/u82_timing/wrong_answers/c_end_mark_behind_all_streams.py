"""Lets the second mark wait for the work of every stream."""


def measured(before, region, policy, sync=1, _plain=measured):
    value = _plain(before, region, policy, sync)
    if policy != "events":
        return value
    run, begin = _run([*before, *region], sync), _run(before, sync)
    streams = {op["stream"] for op in region if op["stream"] is not None}
    return run["total"] - _mark(begin, before, streams)
