"""Gives the caller's ops keys that they had not."""

_plain = simulate


def simulate(ops, sync=1):
    for op in ops:
        op.setdefault("after", [])
    return _plain(ops, sync)
