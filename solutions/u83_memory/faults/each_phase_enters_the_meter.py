"""Enters the meter anew for each phase.

check = "8.3.l/phases_run_once_in_order"
stage = "torch"
says = "The meter was entered once for each phase. What is alive between two phases belongs to the measurement."
"""

_once_phase_memory = phase_memory


def phase_memory(phases, meter):
    phases, seen = list(phases), {}
    if not phases or len({name for name, _ in phases}) < len(phases):
        raise ValueError("phases need names, each its own")
    for name, function in phases:
        with meter:
            meter.reset_peak()
            before = meter.live
            function()
            seen[name] = {"before": before, "peak": meter.peak, "after": meter.live}
    _refuse_unmeasured(seen)
    top = max(seen, key=lambda name: seen[name]["peak"])
    return {"phases": seen, "peak": seen[top]["peak"], "peak_phase": top}
