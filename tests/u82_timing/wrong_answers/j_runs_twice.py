"""Runs the function once to warm up, and once more to count."""

_plain = host_syncs


def host_syncs(fn):
    fn()
    return _plain(fn)
