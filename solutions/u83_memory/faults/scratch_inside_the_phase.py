"""Allocates scratch space inside the phases.

check = "8.3.l/a_real_step"
stage = "torch"
says = "Something was allocated within the phases that is no part of the step. A measurement must not change what it measures."
also = ["8.3.p/closed_book_ran_and_named"]
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
