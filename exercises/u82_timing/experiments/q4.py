"""Five kernels on an idle simulated stream, the clock read before and after."""

from grader.instruments.simulated_streams import SimulatedStreams

device = SimulatedStreams(launch=4, sync=0)
begin = device.now()
for _ in range(5):
    device.work(40)
print(f"without any sync: {(device.now() - begin) * 1e6:.0f} us")
device.synchronize()
print(f"with a sync before the second reading: {(device.now() - begin) * 1e6:.0f} us")
