"""Exports with tensorboard_trace_handler and lists the files by time; NumPy percentiles."""

import numpy as np


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    wait, warmup, active, repeat = (plan[k] for k in ("wait", "warmup", "active", "repeat"))
    if active < 1 or repeat < 1 or wait < 0 or warmup < 0:
        raise ValueError
    window = wait + warmup + active
    cols = {n: [] for n in (*PHASES, "residual")}

    def batches():
        while True:
            it = iter(loader)
            any_batch = False
            while True:
                try:
                    b = trainer.fetch(it)
                except StopIteration:
                    break
                any_batch = True
                yield b
            if not any_batch:
                raise ValueError("no batch")

    def loop(prof):
        it = batches()
        for i in range(window * repeat):
            with record_function("data_wait"):
                t = clock()
                b = next(it)
                t = clock() - t
            _, s = annotated_step(trainer, b, clock)
            if i % window >= wait + warmup:
                for n in PHASES[1:]:
                    cols[n].append(s[n])
                cols["data_wait"].append(t)
                cols["residual"].append(s["train_step"] - sum(s[n] for n in PHASES[1:]))
            if prof:
                prof.step()

    traces = ()
    if trace_dir is None:
        loop(None)
    else:
        with profile(
            schedule=schedule(wait=wait, warmup=warmup, active=active, repeat=repeat),
            on_trace_ready=torch.profiler.tensorboard_trace_handler(trace_dir),
            activities=[ProfilerActivity.CPU],
        ) as prof:
            loop(prof)
        traces = tuple(sorted(str(p) for p in Path(trace_dir).glob("*.json")))
    whole = sum(sum(v) for v in cols.values())
    rows = {
        n: {
            "p50": np.percentile(v, 50),
            "p90": np.percentile(v, 90),
            "share": np.sum(v) / whole if whole else 0.0,
        }
        for n, v in cols.items()
    }
    return {
        "steps": active * repeat,
        "rows": rows,
        "slowest": max(PHASES, key=lambda n: rows[n]["p50"]),
        "traces": traces,
    }
