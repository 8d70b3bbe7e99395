"""AdamW, three wide layers, a profiler schedule whose warm-up is the warm-up, extra ranges, times from the trace file."""

import json


def closed_book_step(trace_path):
    model = nn.Sequential(
        nn.Linear(100, 300), nn.GELU(), nn.Linear(300, 300), nn.GELU(), nn.Linear(300, 7)
    )
    opt = torch.optim.AdamW(model.parameters(), weight_decay=0.1)
    sched = torch.optim.lr_scheduler.StepLR(opt, 1)
    data = torch.randn(16, 100), torch.randn(16, 7)

    def one():
        with record_function("train_step"):
            with record_function("transfer"):
                x, y = (t.clone() for t in data)
            with record_function("forward"), record_function("model and loss"):
                loss = ((model(x) - y) ** 2).mean()
            with record_function("backward"):
                loss.backward()
            with record_function("optimizer"):
                with record_function("clip"):
                    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                sched.step()
                opt.zero_grad(set_to_none=False)

    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=0, warmup=1, active=1, repeat=1),
        on_trace_ready=lambda p: p.export_chrome_trace(str(trace_path)),
    ) as prof:
        for _ in range(2):
            one()
            prof.step()
    events = json.loads(Path(trace_path).read_text())["traceEvents"]
    dur = {e["name"]: e["dur"] for e in events if e.get("cat") == "user_annotation"}
    phases = {n: dur[n] for n in ("optimizer", "backward", "forward", "transfer")}
    big = max(phases, key=phases.get)
    return {
        "sentence": f"Of {dur['train_step']} us, most ({phases[big] / dur['train_step']:.0%}) went into the {big.upper()} phase.",
        "phases": phases,
        "train_step": dur["train_step"],
        "trace": trace_path,
    }
