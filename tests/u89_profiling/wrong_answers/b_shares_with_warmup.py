"""Leaves the warm-up out of the percentiles and not out of the shares."""

_warm = phase_table


def phase_table(events, waits, warmup=0):
    t = _warm(events, waits, warmup)
    for name, row in _warm(events, waits, 0)["rows"].items():
        t["rows"][name]["share"] = row["share"]
    return t
