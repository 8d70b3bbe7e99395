"""Takes any text in `waits` for all."""

_plain = simulate


def simulate(ops, sync=1):
    return _plain(
        [{**op, "waits": "all"} if isinstance(op.get("waits"), str) else op for op in ops], sync
    )
