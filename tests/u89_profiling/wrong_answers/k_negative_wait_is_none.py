"""Takes a negative wait for 0."""

_refusing = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    return _refusing(trainer, loader, {**plan, "wait": max(0, plan["wait"])}, trace_dir, clock)
