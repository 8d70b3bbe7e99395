"""Resets the peak after each phase, but not before the first one."""


def phase_memory(phases, meter):
    phases, seen = list(phases), {}
    if not phases or len({name for name, _ in phases}) < len(phases):
        raise ValueError("phases need names, each its own")
    with meter:
        for name, function in phases:
            before = meter.live
            function()
            seen[name] = {"before": before, "peak": meter.peak, "after": meter.live}
            meter.reset_peak()
    _refuse_unmeasured(seen)
    top = max(seen, key=lambda name: seen[name]["peak"])
    return {"phases": seen, "peak": seen[top]["peak"], "peak_phase": top}
