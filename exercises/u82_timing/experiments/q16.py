"""Thirty kernels of 10 us with launches of 8 us, on the simulated device."""

from grader.instruments.simulated_streams import SimulatedStreams

for sync in (False, True):
    device, busy = SimulatedStreams(launch=8, sync=1), 0
    for _ in range(30):
        device.work(10)
        busy += 10
        if sync:
            device.synchronize()
    if not sync:
        device.synchronize()
    print(f"sync after each: {sync!s:5}  {device.host} us, idle {device.host - busy}")
