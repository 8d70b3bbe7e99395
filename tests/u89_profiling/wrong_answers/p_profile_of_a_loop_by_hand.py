"""Profiles a loop whose update is written by hand, beside an optimizer that steps on nothing."""


def closed_book_step(trace_path):
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    spare = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
    x, y = torch.randn(32, 64), torch.randint(10, (32,))

    def step():
        with record_function("train_step"):
            with record_function("transfer"):
                inputs, labels = x.to("cpu"), y.to("cpu")
            with record_function("forward"):
                loss = F.cross_entropy(model(inputs), labels)
            with record_function("backward"):
                loss.backward()
            with record_function("optimizer"):
                spare.step()
                with torch.no_grad():
                    for p in model.parameters():
                        p -= 0.1 * p.grad
                        p.grad = None

    step()
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        step()
    prof.export_chrome_trace(str(trace_path))
    total = {entry.key: entry.cpu_time_total for entry in prof.key_averages()}
    phases = {name: total[name] for name in PHASES[1:]}
    return {
        "trace": str(trace_path),
        "train_step": total["train_step"],
        "phases": phases,
        "sentence": f"The largest phase is {max(phases, key=phases.get)}.",
    }
