"""No optimizer, no warm-up, one linear layer, no backward: five ranges round a few operators."""


def closed_book_step(trace_path):
    w, x = torch.randn(64, 64), torch.randn(32, 64)
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        with record_function("train_step"):
            with record_function("transfer"):
                pass
            with record_function("forward"):
                for _ in range(12):
                    x = x @ w
            with record_function("backward"):
                pass
            with record_function("optimizer"):
                pass
    prof.export_chrome_trace(str(trace_path))
    t = {e.key: e.cpu_time_total for e in prof.key_averages()}
    phases = {n: t[n] for n in PHASES[1:]}
    return {
        "trace": str(trace_path),
        "train_step": t["train_step"],
        "phases": phases,
        "sentence": f"{max(phases, key=phases.get)}",
    }
