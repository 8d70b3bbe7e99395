"""The five kernels behind 220 us of older work, and where a sync stands."""

from grader.instruments.simulated_streams import SimulatedStreams

for sync_at_start in (False, True):
    device = SimulatedStreams(launch=4, sync=0)
    device.work(220, launch=0)  # older work
    if sync_at_start:
        device.synchronize()
    begin = device.now()
    for _ in range(5):
        device.work(40)
    device.synchronize()
    print(f"sync before the first reading: {sync_at_start!s:5}  ", end="")
    print(f"printed: {(device.now() - begin) * 1e6:.0f} us")
