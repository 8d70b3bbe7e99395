"""Puts the first mark where the host is, and takes the end of the work for the second."""

_plain = measured


def measured(before, region, policy, sync=1):
    value = _plain(before, region, policy, sync)
    if policy != "events":
        return value
    run = _run([*before, *region], sync)
    streams = {op["stream"] for op in region if op["stream"] is not None}
    ends = [run["ops"][op["name"]]["end"] for op in region if op["stream"] in streams]
    return value - max(0, run["host"] - max(ends))
