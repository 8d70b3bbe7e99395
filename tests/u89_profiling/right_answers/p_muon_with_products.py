"""Muon, whose step has products of matrices of its own, and a batch of three axes."""


def closed_book_step(trace_path):
    model = nn.Sequential(nn.Linear(16, 32, bias=False), nn.ELU(), nn.Linear(32, 8, bias=False))
    optimizer = torch.optim.Muon(model.parameters(), lr=0.01)
    batch = torch.randn(4, 6, 16), torch.randint(8, (4, 6))

    def step():
        with record_function("train_step"):
            with record_function("transfer"):
                x, y = (part.to("cpu") for part in batch)
            with record_function("forward"):
                loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
            with record_function("backward"):
                loss.backward()
            with record_function("optimizer"):
                optimizer.step()
                optimizer.zero_grad()

    step()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
        step()
    prof.export_chrome_trace(str(trace_path))
    total = {entry.key: entry.cpu_time_total for entry in prof.key_averages()}
    phases = {name: total[name] for name in PHASES[1:]}
    return {
        "trace": str(trace_path),
        "train_step": total["train_step"],
        "phases": phases,
        "sentence": f"The largest phase: {max(phases, key=phases.get)}.",
    }
