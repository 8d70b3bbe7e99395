"""Calls the phase with the largest sum the slowest."""

_by_p50 = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    t = _by_p50(trainer, loader, plan, trace_dir, clock)
    return {**t, "slowest": max(PHASES, key=lambda n: t["rows"][n]["share"])}
