"""A synchronised phase waits for the queue; a blocking one waits for its own work alone."""

_same_wait = host_clock_table


def host_clock_table(phases, sync_after=(), steps=3):
    r = _same_wait(phases, sync_after, steps)
    for p in phases[1:]:
        if p["blocking"]:
            r["host"][p["name"]] = p["launch"] + p["device"]
    return r
