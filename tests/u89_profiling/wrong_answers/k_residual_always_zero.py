"""Reports no residual at all: three zeros whatever the step does."""

_honest = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    t = _honest(trainer, loader, plan, trace_dir, clock)
    t["rows"]["residual"] = {"p50": 0.0, "p90": 0.0, "share": 0.0}
    return t
