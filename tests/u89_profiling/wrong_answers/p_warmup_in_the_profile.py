"""Profiles the warm-up step too, without its ranges."""


def closed_book_step(trace_path):
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(32, 64), torch.randint(10, (32,))
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        for _ in range(5):
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()
        with record_function("train_step"):
            with record_function("transfer"):
                x = x.to("cpu")
            with record_function("forward"):
                loss = F.cross_entropy(model(x), y)
            with record_function("backward"):
                loss.backward()
            with record_function("optimizer"):
                optimizer.step()
    prof.export_chrome_trace(str(trace_path))
    t = {e.key: e.cpu_time_total for e in prof.key_averages()}
    phases = {n: t[n] for n in PHASES[1:]}
    return {
        "trace": str(trace_path),
        "train_step": t["train_step"],
        "phases": phases,
        "sentence": f"The largest phase is {max(phases, key=phases.get)}.",
    }
