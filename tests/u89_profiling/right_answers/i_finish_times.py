"""Keeps the finish time of each piece of work; NumPy floats."""


def host_clock_table(phases, sync_after=(), steps=3):
    names = [p["name"] for p in phases]
    if (
        not names
        or steps < 1
        or any(s not in names for s in sync_after)
        or any(min(p["launch"], p["device"]) < 0 for p in phases)
    ):
        raise ValueError
    finish, now = [np.float64(0)], np.float64(0)
    for _ in range(steps):
        host = {}
        for p in phases:
            t0 = now
            now = now + p["launch"]
            finish.append(max(finish[-1], now) + p["device"])
            if p["blocking"] or p["name"] in tuple(sync_after):
                now = max(finish[-1], now)
            host[p["name"]] = now - t0
    dev = {p["name"]: np.float64(p["device"]) for p in reversed(phases)}
    first = lambda d: next(n for n in names if d[n] == max(d.values()))
    return {"slowest": first(dev), "blamed": first(host), "device": dev, "host": host}
