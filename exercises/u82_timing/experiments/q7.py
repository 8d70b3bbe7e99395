"""Many steps of 3 ms host and 5 ms device, with a sync in each and without."""


def total(sync, steps=4000):
    host = free = 0.0
    for _ in range(steps):
        host += 3
        free = max(free, host) + 5
        if sync:
            host = free
    return free


print(f"with a sync {total(True):.0f} ms, without {total(False):.0f} ms")
print(f"a factor of {total(True) / total(False):.3f}")
