"""Runs the forward inside the range of the transfer.

check = "8.9.p/closed_book_work_in_its_range"
stage = "torch"
says = "The forward ran inside the range of the transfer. The copy to the device then seems to cost what the model costs."
"""


def closed_book_step(trace_path):
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(32, 64), torch.randint(10, (32,))

    def step():
        with record_function("train_step"):
            with record_function("transfer"):
                inputs, labels = x.to("cpu"), y.to("cpu")
                loss = F.cross_entropy(model(inputs), labels)
            with record_function("forward"), torch.no_grad():
                model(inputs)
            with record_function("backward"):
                loss.backward()
            with record_function("optimizer"):
                optimizer.step()
                optimizer.zero_grad()

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
