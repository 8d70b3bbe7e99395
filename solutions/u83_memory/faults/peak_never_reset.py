"""Never resets the peak.

check = "8.3.l/each_phase_has_its_own_peak"
stage = "torch"
says = "This is what a peak that is never reset gives: each phase has the peak of everything before it."
also = ["8.3.l/results_are_dropped", "8.3.l/a_real_step", "8.3.l/what_was_not_measured", "8.3.l/a_peak_below_what_is_alive", "8.3.l/phases_run_once_in_order", "8.3.l/equal_peaks_and_bad_lists"]
source = "datawhalechina/diy-llm#57, pytorch/pytorch#15968"
"""


class _Unreset:
    def __init__(self, meter):
        self.meter = meter

    def __enter__(self):
        self.meter.__enter__()
        return self

    def __exit__(self, *error):
        return self.meter.__exit__(*error)

    live = property(lambda self: self.meter.live)
    peak = property(lambda self: self.meter.peak)

    def reset_peak(self):
        pass


_resetting_phase_memory = phase_memory


def phase_memory(phases, meter):
    return _resetting_phase_memory(phases, _Unreset(meter))
