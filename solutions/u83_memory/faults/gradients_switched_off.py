"""Runs the phases without gradients.

check = "8.3.k/a_real_step"
stage = "torch"
says = "The step did not run as it was handed in. A measurement must not change what is measured."
"""

_plain_phase_memory = phase_memory


def phase_memory(phases, meter):
    def first(function):
        def run():
            result = function()
            gc.collect()
            torch.zeros(10**6)
            return result

        return run

    return _plain_phase_memory([(name, first(function)) for name, function in phases], meter)
