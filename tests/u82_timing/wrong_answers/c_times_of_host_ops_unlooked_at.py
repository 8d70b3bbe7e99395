"""Looks at the times of ops that have a stream alone."""

_plain = measured


def measured(before, region, policy, sync=1):
    def fair(ops):
        return [
            {**op, "launch": 0} if op["stream"] is None and not _is_time(op.get("launch", 0)) else op
            for op in ops
        ]

    return _plain(fair(before), fair(region), policy, sync)
