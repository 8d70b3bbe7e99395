"""Reads the peak of the whole run so far in each phase.

check = "mini-project.c/each_phase_has_its_own_peak"
stage = "torch"
says = "This is the peak since the run began. Reset it before each phase."
"""


class _Unreset:
    def __init__(self, meter):
        self.live, self.peak = meter.live, meter.peak

    def reset_peak(self):
        pass


_resetting = memory_table


def memory_table(trainer, batch, meter):
    return _resetting(trainer, batch, _Unreset(meter))
