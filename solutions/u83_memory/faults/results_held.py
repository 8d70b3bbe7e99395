"""Holds what a phase returns while it reads.

check = "8.3.l/results_are_dropped"
stage = "torch"
says = "What a phase returned was still held when the reading after it was made: with a loss that is a whole graph."
"""


def phase_memory(phases, meter):
    phases, seen = list(phases), {}
    if not phases or len({name for name, _ in phases}) < len(phases):
        raise ValueError("phases need names, each its own")
    with meter:
        for name, function in phases:
            meter.reset_peak()
            before = meter.live
            result = function()
            seen[name] = {"before": before, "peak": meter.peak, "after": meter.live}
            del result
    _refuse_unmeasured(seen)
    top = max(seen, key=lambda name: seen[name]["peak"])
    return {"phases": seen, "peak": seen[top]["peak"], "peak_phase": top}
