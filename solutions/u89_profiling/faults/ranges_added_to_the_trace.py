"""Profiles a step without ranges of the phases, and writes them into the trace afterwards.

check = "8.9.p/closed_book_trace_is_of_training"
stage = "torch"
says = "The trace was changed after the profiler had written it. A range that was not recorded says nothing about what ran when."
"""


def closed_book_step(trace_path):
    import json

    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(32, 64), torch.randint(10, (32,))

    def step():
        with record_function("train_step"):
            loss = F.cross_entropy(model(x.to("cpu")), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()

    step()
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        step()
    prof.export_chrome_trace(str(trace_path))
    document = json.loads(Path(trace_path).read_text())
    events = [e for e in document["traceEvents"] if e.get("ph") == "X"]
    at = lambda name: next(e for e in events if e["name"].startswith(name))
    begin = at("train_step")
    back = at("autograd::engine::evaluate_function: NllLoss")
    update, zero = at("Optimizer.step#"), at("Optimizer.zero_grad#")
    linear = at("aten::linear")
    edges = [begin["ts"], linear["ts"] - 0.5, back["ts"] - 0.5, update["ts"] - 0.5, zero["ts"]]
    phases = {}
    for name, low, high in zip(PHASES[1:], edges[:-1], edges[1:], strict=True):
        phases[name] = high - 0.01 - low
        document["traceEvents"].append({**begin, "name": name, "ts": low, "dur": phases[name]})
    Path(trace_path).write_text(json.dumps(document))
    return {
        "trace": str(trace_path),
        "train_step": begin["dur"],
        "phases": phases,
        "sentence": f"The largest phase is {max(phases, key=phases.get)}.",
    }
