"""Gives host ops a start and an end of 0."""

_plain = simulate


def simulate(ops, sync=1):
    run = _plain(ops, sync)
    for row in run["ops"].values():
        if row["start"] is None:
            row["start"] = row["end"] = 0
    return run
