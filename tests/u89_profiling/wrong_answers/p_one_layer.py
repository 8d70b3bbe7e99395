"""Has one linear layer and no non-linearity."""

_nn_sequential = nn.Sequential


def closed_book_step(trace_path):
    model = nn.Linear(64, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(32, 64), torch.randint(10, (32,))

    def step():
        with record_function("train_step"):
            with record_function("transfer"):
                a, b = x.to("cpu"), y.to("cpu")
            with record_function("forward"):
                loss = F.cross_entropy(model(a), b)
            with record_function("backward"):
                loss.backward()
            with record_function("optimizer"):
                optimizer.step()
                optimizer.zero_grad()

    step()
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        step()
    prof.export_chrome_trace(str(trace_path))
    t = {e.key: e.cpu_time_total for e in prof.key_averages()}
    phases = {n: t[n] for n in PHASES[1:]}
    return {
        "trace": str(trace_path),
        "train_step": t["train_step"],
        "phases": phases,
        "sentence": f"The largest phase is {max(phases, key=phases.get)}.",
    }
