"""Memory of a batch that was made in one stream and is read in another, on the simulated device."""

import torch

from grader.instruments.simulated_streams import SimulatedStreams

for recorded in (False, True):
    device = SimulatedStreams(launch=0, sync=0, link=1)
    side = device.stream()
    with device.on(side):
        batch = device.upload(torch.zeros(4))
    device.current_stream().wait_stream(side)
    device.work(100, [batch])  # the other stream reads it for 100 us
    if recorded:
        device.record_stream(batch, device.current_stream())
    del batch
    with device.on(side):
        device.upload(torch.zeros(4))  # asks for as much memory
    print(f"record_stream: {recorded!s:5}  hazards: {device.hazards or 'none'}")
