"""Takes the end of the last op for the end of all work."""

_plain = simulate


def simulate(ops, sync=1):
    run = _plain(ops, sync)
    ends = [row["end"] for row in run["ops"].values() if row["end"] is not None]
    device = ends[-1] if ends else 0
    return {**run, "device": device, "total": max(run["host"], device)}
