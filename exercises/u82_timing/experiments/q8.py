"""Ten batches on two simulated streams, with one buffer and with two."""

from grader.instruments.simulated_streams import SimulatedStreams

for buffers in (1, 2):
    device = SimulatedStreams(launch=0, sync=0)
    loads, main, used = device.stream(), device.current_stream(), []
    for number in range(10):
        if number >= buffers:
            loads.wait_event(used[number - buffers])  # the buffer is free again
        with device.on(loads):
            device.work(30)
        main.wait_stream(loads)
        device.work(150)
        used.append(main.record_event())
    device.synchronize()
    print(f"{buffers} buffer(s): {device.host} ms")
