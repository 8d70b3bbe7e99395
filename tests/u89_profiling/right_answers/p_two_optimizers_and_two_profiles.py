"""One optimizer a layer; the warm-up is profiled, too, into a profile that is thrown away."""


def closed_book_step(trace_path):
    layers = [nn.Linear(30, 60), nn.Linear(60, 60), nn.Linear(60, 3)]
    optimizers = [torch.optim.AdamW(layer.parameters(), fused=True) for layer in layers]
    data = torch.randn(40, 30), torch.randint(3, (40,))

    def step():
        with record_function("train_step"):
            with record_function("transfer"):
                x, y = (part.to("cpu", copy=True) for part in data)
            with record_function("forward"):
                for layer in layers[:-1]:
                    x = F.silu(layer(x))
                loss = F.cross_entropy(layers[-1](x), y)
            with record_function("backward"):
                for optimizer in optimizers:
                    optimizer.zero_grad()
                loss.backward()
            with record_function("optimizer"):
                for optimizer in optimizers:
                    optimizer.step()

    for _ in range(2):
        with profile(activities=[ProfilerActivity.CPU]) as prof:
            step()
    prof.export_chrome_trace(str(trace_path))
    total = {entry.key: entry.cpu_time_total for entry in prof.key_averages()}
    phases = {name: total[name] for name in PHASES[1:]}
    return {
        "trace": str(trace_path),
        "train_step": total["train_step"],
        "phases": phases,
        "sentence": f"Most of the time goes into the {max(phases, key=phases.get)}.",
    }
