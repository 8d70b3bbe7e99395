"""Where the loader ends, the fetch that failed has a range and so has the next one; both are timed."""


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    wait, warmup, active, repeat = plan["wait"], plan["warmup"], plan["active"], plan["repeat"]
    if min(wait, warmup) < 0 or min(active, repeat) < 1:
        raise ValueError
    window, traces, samples = wait + warmup + active, [], []

    def ready(prof):
        traces.append(str(Path(trace_dir) / f"{len(traces)}.json"))
        prof.export_chrome_trace(traces[-1])

    prof = None
    if trace_dir is not None:
        Path(trace_dir).mkdir(parents=True, exist_ok=True)
        prof = profile(
            activities=[ProfilerActivity.CPU],
            schedule=schedule(wait=wait, warmup=warmup, active=active, repeat=repeat),
            on_trace_ready=ready,
        )
        prof.start()
    try:
        iterator = None
        for i in range(window * repeat):
            begin = clock()
            batch = None
            if iterator is not None:
                with record_function("data_wait"):
                    try:
                        batch = trainer.fetch(iterator)
                    except StopIteration:
                        iterator = None
            if iterator is None:
                with record_function("data_wait"):
                    iterator = iter(loader)
                    try:
                        batch = trainer.fetch(iterator)
                    except StopIteration:
                        raise ValueError("empty") from None
            waited = clock() - begin
            _, s = annotated_step(trainer, batch, clock)
            if i % window >= wait + warmup:
                samples.append({**s, "data_wait": waited})
            if prof:
                prof.step()
    finally:
        if prof:
            prof.stop()
    return {**_table(samples), "traces": traces}
