"""Lists all pieces of device work first and reads the host's waits from it."""


def host_clock_table(phases, sync_after=(), steps=3):
    if not phases or steps < 1:
        raise ValueError
    names = [p["name"] for p in phases]
    if any(n not in names for n in sync_after) or any(
        p["launch"] < 0 or p["device"] < 0 for p in phases
    ):
        raise ValueError
    clock, pieces, log = 0.0, [], []
    for step in range(steps):
        for p in phases:
            before = clock
            clock += p["launch"]
            start = max(clock, pieces[-1][1]) if pieces else clock
            pieces.append((start, start + p["device"]))
            if p["blocking"] or p["name"] in set(sync_after):
                clock = max(clock, pieces[-1][1])
            log.append((step, p["name"], clock - before))
    host = {n: t for s, n, t in log if s == steps - 1}
    device = {p["name"]: p["device"] for p in phases}
    return {
        "host": host,
        "device": device,
        "blamed": sorted(names, key=lambda n: -host[n])[0],
        "slowest": sorted(names, key=lambda n: -device[n])[0],
    }
