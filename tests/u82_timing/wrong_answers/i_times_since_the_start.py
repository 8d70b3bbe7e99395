"""Gives the time from the start to the end of each phase."""

_plain = time_phases


def time_phases(phases, clock, sync_after=()):
    table = _plain(phases, clock, sync_after)
    total, host = 0.0, {}
    for name, time_ in table["host"].items():
        total += time_
        host[name] = total
    return {"host": host, "blamed": max(host, key=host.get)}
