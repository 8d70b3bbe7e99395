"""Enters the meter with an ExitStack, and collects garbage after each phase."""

from contextlib import ExitStack


def phase_memory(phases, meter):
    phases, seen = list(phases), {}
    if not phases or len(dict(phases)) < len(phases):
        raise ValueError("phases")
    with ExitStack() as stack:
        stack.enter_context(meter)
        for name, function in phases:
            meter.reset_peak()
            before = meter.live
            result = function()
            del result
            gc.collect()
            peak, after = meter.peak, meter.live
            seen[name] = dict(before=before, peak=peak, after=after)
    _refuse_unmeasured(seen)
    top = max(seen.items(), key=lambda item: item[1]["peak"])[0]
    return dict(phases=seen, peak=seen[top]["peak"], peak_phase=top)
