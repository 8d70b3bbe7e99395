"""Accepts negative times."""

_nonneg = host_clock_table


def host_clock_table(phases, sync_after=(), steps=3):
    return _nonneg(
        [{**p, "launch": abs(p["launch"]), "device": abs(p["device"])} for p in phases],
        sync_after,
        steps,
    )
