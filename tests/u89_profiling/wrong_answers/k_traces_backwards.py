"""Lists the traces with the last window first."""

_in_order = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    table = _in_order(trainer, loader, plan, trace_dir, clock)
    return {**table, "traces": table["traces"][::-1]}
