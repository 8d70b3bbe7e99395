"""float64, an nn.Module subclass, momentum, prof.events(), rounded to whole microseconds with NumPy integers."""

import numpy as np


class _Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = (
            nn.Linear(32, 128, dtype=torch.float64),
            nn.Linear(128, 4, dtype=torch.float64),
        )

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))


def closed_book_step(trace_path):
    net = _Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    x, y = torch.randn(64, 32, dtype=torch.float64), torch.randint(4, (64,))

    def one(rec):
        with rec("train_step"):
            with rec("transfer"):
                a, b = x.to("cpu", copy=True), y
            with rec("forward"):
                out = F.cross_entropy(net(a), b)
            with rec("backward"):
                opt.zero_grad()
                out.backward()
            with rec("optimizer"):
                opt.step()

    for _ in range(3):
        one(record_function)
    prof = profile(activities=[ProfilerActivity.CPU], record_shapes=True)
    prof.start()
    one(record_function)
    prof.stop()
    prof.export_chrome_trace(trace_path)
    t = {e.name: e.cpu_time_total for e in prof.events() if e.name in ("train_step", *PHASES)}
    ph = {n: np.int64(math.floor(t[n])) for n in PHASES[1:]}
    big = max(ph, key=ph.get)
    return {
        "trace": trace_path,
        "train_step": np.int64(math.ceil(t["train_step"])),
        "phases": ph,
        "sentence": f"The {big} phase takes longest.",
    }
