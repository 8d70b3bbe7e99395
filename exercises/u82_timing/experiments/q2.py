"""Nine kernels of 6 us, 5 us to launch each, without and with a wait after each."""

LAUNCH, KERNEL, COUNT = 5, 6, 9


def run(wait):
    host = free = early = 0
    for _ in range(COUNT):
        early += host < free  # this launch begins while the device still works
        host += LAUNCH
        free = max(free, host) + KERNEL
        host = free if wait else host
    return early, free


for wait in (False, True):
    early, end = run(wait)
    print(
        f"wait after every kernel: {wait!s:5}  launches that begin while the device works: {early},"
    )
    print(f"    kernels still take {KERNEL} us each, the loop takes {end} us")
