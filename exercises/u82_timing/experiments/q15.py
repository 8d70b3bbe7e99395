"""Host time of each phase when launches take 20 us and the device works on its own."""

work = {"forward": 300, "backward": 600, "optimizer": 100}  # us on the device


def table(sync):
    host = free = 0
    seen = {}
    for phase, device in work.items():
        begin, host = host, host + 20
        free = max(free, host) + device
        host = free if sync else host
        seen[phase] = host - begin
    seen["loss.item()"] = max(0, free - host)
    return seen


for sync in (False, True):
    seen = table(sync)
    print(f"a sync after every phase: {sync!s:5} ", seen, "slowest:", max(seen, key=seen.get))
