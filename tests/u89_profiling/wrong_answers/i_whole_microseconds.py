"""Rounds launches to whole microseconds."""

_fractions = host_clock_table


def host_clock_table(phases, sync_after=(), steps=3):
    return _fractions(
        [{**p, "launch": int(p["launch"]), "device": int(p["device"])} for p in phases],
        sync_after,
        steps,
    )
