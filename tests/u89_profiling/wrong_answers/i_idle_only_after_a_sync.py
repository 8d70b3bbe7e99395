"""Lets the device be idle only at the start and after a synchronisation, never because the host is slower than it."""

_idle_any_time = host_clock_table


def host_clock_table(phases, sync_after=(), steps=3):
    table = _idle_any_time(phases, sync_after, steps)
    now, free, host = 0, None, {}
    for _ in range(steps):
        for p in phases:
            begin = now
            now += p["launch"]
            free = (now if free is None else free) + p["device"]
            if p["blocking"] or p["name"] in sync_after:
                now, free = max(now, free), None
            host[p["name"]] = now - begin
    return {**table, "host": host, "blamed": max(host, key=host.get)}
