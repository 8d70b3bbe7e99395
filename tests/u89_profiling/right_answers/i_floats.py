"""All times as floats."""

_reference_i = host_clock_table


def host_clock_table(phases, sync_after=(), steps=3):
    r = _reference_i(
        [{**p, "launch": float(p["launch"]), "device": float(p["device"])} for p in phases],
        frozenset(sync_after),
        steps,
    )
    return r
