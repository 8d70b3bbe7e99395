"""Two events round 2500 us of work on the simulated device, and what torch documents."""

import torch

from grader.instruments.simulated_streams import SimulatedStreams

device = SimulatedStreams(launch=0, sync=0)
begin, end = device.event(), device.event()
begin.record()
device.work(2500)
end.record()
device.synchronize()
print("elapsed_time:", begin.elapsed_time(end))
print("torch.cuda.Event.elapsed_time:", " ".join(torch.cuda.Event.elapsed_time.__doc__.split()))
