"""Waits after the last op and once more at the end."""

_plain = measured


def measured(before, region, policy, sync=1):
    return _plain(before, region, policy, sync) + (sync if policy == "every_op" else 0)
