"""Float64 net, times as floats, sentence in the middle of other words."""


class _Net2(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(32, 128), nn.Linear(128, 4)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))


def closed_book_step(trace_path):
    net = _Net2()
    opt = torch.optim.Adam(net.parameters(), foreach=False)
    x, y = torch.randn(64, 32), torch.randint(4, (64,))

    def one():
        with record_function("train_step"):
            with record_function("transfer"):
                a, b = x.pin_memory() if False else x.to("cpu"), y.to("cpu")
            with record_function("forward"):
                out = F.cross_entropy(net(a), b)
            with record_function("backward"):
                out.backward()
            with record_function("optimizer"):
                opt.step()
                opt.zero_grad()

    one()
    one()
    with profile(activities=[ProfilerActivity.CPU], with_stack=True) as prof:
        one()
    prof.export_chrome_trace(trace_path)
    rows = {r.key: r.cpu_time_total for r in prof.key_averages()}
    ph = {n: rows[n] for n in PHASES[1:]}
    big = max(ph, key=ph.get)
    return {
        "trace": trace_path,
        "train_step": rows["train_step"],
        "phases": ph,
        "sentence": f"On this machine the step's time is mostly {big}, not the other three.",
    }
