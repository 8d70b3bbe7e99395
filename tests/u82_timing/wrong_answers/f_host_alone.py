"""Looks at the host's time alone."""

_plain = bottleneck


def bottleneck(ops, sync=1):
    result = _plain(ops, sync)
    return {**result, "total": _run(ops, sync)["host"]}
