"""Runs the optimizer after train_step has ended.

check = "8.9.p/closed_book"
stage = "torch"
says = "The optimizer ran after train_step had ended. All four phases belong inside it."
# its step has one layer and nothing before it
also = ["8.9.p/closed_book_step_is_whole_and_warm", "8.9.p/closed_book_trace_is_of_training"]
"""

_whole_closed_book = closed_book_step


def closed_book_step(trace_path):
    phases, total = {}, 0.0
    weight = torch.ones(4, 4, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        with record_function("train_step"):
            with record_function("transfer"):
                x = torch.ones(4, 4).to("cpu")
            with record_function("forward"):
                loss = (x @ weight).relu().sum()
            with record_function("backward"):
                loss.backward()
        with record_function("optimizer"):
            optimizer.step()
    prof.export_chrome_trace(str(trace_path))
    total = {entry.key: entry.cpu_time_total for entry in prof.key_averages()}
    phases = {name: total[name] for name in PHASES[1:]}
    return {
        "trace": str(trace_path),
        "train_step": total["train_step"],
        "phases": phases,
        "sentence": f"The largest phase is {max(phases, key=phases.get)}.",
    }
