"""Compares the clock's device with a text, so that it never waits.

check = "8.2.g/honest_on_cuda"
stage = "torch"
says = "The clock did not wait for the device: a torch.device never equals the text 'cuda'. Ask for device.type."
"""


class HostClock(HostClock):
    def synchronize(self):
        if self.device == "cuda":
            torch.cuda.synchronize(self.device)


_timed_with_any_clock = time_callable


def time_callable(fn, clock, warmup=3, repeats=20, most=1024):
    return _timed_with_any_clock(fn, clock, warmup, repeats, most)
