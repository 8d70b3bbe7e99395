"""Runs the backward inside the range forward; the range backward is empty."""


def _closed(trace_path, body):
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(32, 64), torch.randint(10, (32,))
    body(model, optimizer, x, y)
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        body(model, optimizer, x, y)
    prof.export_chrome_trace(str(trace_path))
    t = {e.key: e.cpu_time_total for e in prof.key_averages()}
    phases = {n: t[n] for n in PHASES[1:]}
    return {
        "trace": str(trace_path),
        "train_step": t["train_step"],
        "phases": phases,
        "sentence": f"The largest phase is {max(phases, key=phases.get)}.",
    }


def closed_book_step(trace_path):
    def body(model, optimizer, x, y):
        with record_function("train_step"):
            with record_function("transfer"):
                pass
            with record_function("forward"):
                loss = F.cross_entropy(model(x), y)
                loss.backward()
            with record_function("backward"):
                pass
            with record_function("optimizer"):
                optimizer.step()
                optimizer.zero_grad()

    return _closed(trace_path, body)
