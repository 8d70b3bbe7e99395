"""Profiles the waiting and warm-up iterations as well, into one more trace a window."""

_scheduled = schedule


def schedule(*, wait, warmup, active, repeat):
    # whatever is not an active iteration becomes a window of its own
    plan = _scheduled(wait=wait, warmup=warmup, active=active, repeat=repeat)

    def when(step):
        action, after = plan(step), plan(step + 1)
        save = torch.profiler.ProfilerAction.RECORD_AND_SAVE
        if action == torch.profiler.ProfilerAction.WARMUP:
            return save if after != action else torch.profiler.ProfilerAction.RECORD
        return action

    return when


_each_window = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    table = _each_window(trainer, loader, plan, trace_dir, clock)
    return {**table, "traces": table["traces"][1::2] if trace_dir else []}
