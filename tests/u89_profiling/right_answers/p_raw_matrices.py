"""Two matrices of its own instead of modules, the profiler of torch.autograd, and foreach SGD."""


def closed_book_step(trace_path):
    first = torch.nn.Parameter(torch.randn(48, 96) / 7)
    second = torch.nn.Parameter(torch.randn(96, 5) / 10)
    optimizer = torch.optim.SGD([first, second], lr=0.05, foreach=True)
    images, labels = torch.randn(24, 48), torch.randint(5, (24,))

    def step():
        with record_function("train_step"):
            with record_function("transfer"):
                x, y = images.clone(), labels.clone()
            with record_function("forward"):
                loss = F.cross_entropy(torch.relu(x @ first) @ second, y)
            with record_function("backward"):
                first.grad, second.grad = torch.autograd.grad(loss, [first, second])
            with record_function("optimizer"):
                optimizer.step()

    step()
    with torch.autograd.profiler.profile() as prof:
        step()
    prof.export_chrome_trace(trace_path)
    spans = {e.name: e.time_range.elapsed_us() for e in prof.function_events}
    phases = {name: spans[name] for name in PHASES[1:]}
    return {
        "trace": trace_path,
        "train_step": spans["train_step"],
        "phases": phases,
        "sentence": f"It is {max(phases, key=phases.get)} that takes most of the time.",
    }
