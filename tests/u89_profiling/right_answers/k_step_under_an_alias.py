"""Calls the annotated step by another name, which was bound before."""

from functools import partial

_one_step = annotated_step


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    wait, warmup, active, repeat = (plan[k] for k in ("wait", "warmup", "active", "repeat"))
    if min(wait, warmup) < 0 or min(active, repeat) < 1:
        raise ValueError(plan)
    step = partial(_one_step, trainer, clock=clock)
    window, samples, traces, iterator = wait + warmup + active, [], [], None
    prof = None
    if trace_dir is not None:
        Path(trace_dir).mkdir(parents=True, exist_ok=True)

        def ready(done):
            traces.append(f"{trace_dir}/{len(traces)}.json")
            done.export_chrome_trace(traces[-1])

        prof = profile(schedule=schedule(**plan), on_trace_ready=ready)
        prof.__enter__()
    try:
        for number in range(window * repeat):
            waited = {}
            with _phase("data_wait", trainer, clock, waited):
                batch, iterator = _fetch(trainer, loader, iterator)
            if number % window < wait + warmup:
                step(batch)
            else:
                samples.append(waited | step(batch)[1])
            if prof is not None:
                prof.step()
    finally:
        if prof is not None:
            prof.__exit__(None, None, None)
    return {**_table(samples), "traces": traces}
