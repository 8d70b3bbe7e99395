"""Looks at the times of ops that have a stream alone."""

_plain = bottleneck


def bottleneck(ops, sync=1):
    return _plain(
        [
            {**op, "launch": 0} if op["stream"] is None and not _is_time(op.get("launch", 0)) else op
            for op in ops
        ],
        sync,
    )
