"""Runs the program of the events with waits that cost 1 us, whatever they cost."""

_plain = measured


def measured(before, region, policy, sync=1):
    if policy == "events":
        _run([], sync)
        return _plain(before, region, policy)
    return _plain(before, region, policy, sync)
