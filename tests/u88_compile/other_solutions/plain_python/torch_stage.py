"""Unit 8.8 with torch.cond, a settable counter, and models that are run through functional_call."""
# ruff: noqa

import statistics
import time

import torch
import torch._dynamo
from torch import nn
from torch.func import functional_call


def find_break(fn, *args):
    graphs = []

    def backend(gm, inputs):
        graphs.append(len([n for n in gm.graph.nodes if n.op[:4] == "call"]))
        return gm

    torch._dynamo.reset()
    torch.compile(fn, backend=backend)(*args)
    torch._dynamo.reset()
    answer = {"broken": False, "reason": "", "graphs": len(graphs), "operators": sum(graphs)}
    with torch._dynamo.error_on_graph_break(True):
        try:
            torch.compile(fn, backend=lambda gm, inputs: gm)(*args)
        except torch._dynamo.exc.TorchDynamoException as error:
            answer["broken"] = True
            answer["reason"] = str(error).lstrip().split("\n", 1)[0]
    return answer


def compile_counts(fn, calls, dynamic=None):
    torch._dynamo.reset()
    total = {"compiled": 0, "ran": 0}

    def backend(gm, inputs):
        total["compiled"] += 1

        def call(*values):
            total["ran"] += 1
            return gm(*values)

        return call

    function = torch.compile(fn, backend=backend, dynamic=dynamic)
    result = {"compiled": [], "ran": []}
    for call in calls:
        before = dict(total)
        function(*call)
        for key in result:
            result[key].append(total[key] - before[key])
    return result


def scaled(x):
    peak = x.detach().abs().amax()
    one = torch.ones((), dtype=x.dtype)
    return x / torch.maximum(peak, one)


def unit_ball(x):
    length = x.norm()
    return torch.cond(length > 1, lambda x: x / x.norm(), lambda x: x * 1, (x,))


class Warmup(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.limit = steps
        self.gain = nn.Parameter(torch.ones(()))
        self.register_buffer("calls", torch.zeros(1, dtype=torch.int32)[0], persistent=False)

    def forward(self, x):
        if self.training:
            self.calls = torch.add(self.calls, 1)
        share = torch.where(self.calls < self.limit, self.calls.double() / self.limit, 1.0)
        return self.gain * x * share.to(x.dtype)


def make_warmup(steps):
    return Warmup(steps)


def compare(model, batch, backend="aot_eager", rtol=1e-5, seed=0):
    flags = {m: m.training for m in model.modules()}
    random_state = torch.get_rng_state()
    names = dict(model.named_parameters(remove_duplicate=False))
    shared = {}
    failed = []
    try:
        for mode in ("train", "eval"):
            model.train(mode == "train")
            results = []
            for compiled in (False, True):
                torch._dynamo.reset()
                copies = {}
                for name, p in names.items():
                    if id(p) not in copies:
                        copies[id(p)] = p.detach().clone().requires_grad_(p.requires_grad)
                    shared[name] = copies[id(p)]
                state = {**shared, **{n: b.clone() for n, b in model.named_buffers()}}
                x = batch.detach().clone()
                x.requires_grad_(x.is_floating_point())

                def forward(x, state=state):
                    return functional_call(model, state, (x,), tie_weights=False)

                run = torch.compile(forward, backend=backend) if compiled else forward
                torch.manual_seed(seed)
                y = run(x)
                w = torch.arange(1, y.numel() + 1, dtype=y.dtype).view(y.shape)
                torch.sum(y * w).backward()
                grads = [t.grad for t in copies.values()] + [x.grad]
                results.append((y.detach(), grads))
            (old, old_grads), (new, new_grads) = results
            if not close(old, new, rtol):
                failed.append(f"{mode} outputs")
            if not all(close(a, b, rtol) for a, b in zip(old_grads, new_grads)):
                failed.append(f"{mode} gradients")
    finally:
        for module, flag in flags.items():
            module.training = flag
        torch.set_rng_state(random_state)
    return {"agree": len(failed) == 0, "failed": failed}


def close(a, b, rtol):
    if a is None and b is None:
        return True
    if a is None or b is None or a.shape != b.shape:
        return False
    limit = rtol * max(a.abs().flatten().tolist(), default=0.0)
    return all(d <= limit for d in (a - b).abs().flatten().tolist())


def steady_state(fn, warmup=3, repeats=20, clock=time.perf_counter):
    if warmup < 1 or repeats < 1:
        raise ValueError("at least one call each")
    spans = []
    for _ in range(warmup + repeats):
        begin = clock()
        fn()
        spans.append(clock() - begin)
    steady = sorted(spans[warmup:])

    def at(q):
        place = q * (len(steady) - 1)
        low = int(place)
        high = min(low + 1, len(steady) - 1)
        return steady[low] + (place - low) * (steady[high] - steady[low])

    middle = statistics.median(steady)
    return {
        "first": spans[0],
        "p50": middle,
        "p90": at(0.9),
        "repeats": repeats,
        "cost": sum(spans[:warmup]) - warmup * middle,
    }


def portable_state(model):
    plain = {}
    for name, value in model.state_dict().items():
        parts = name.split(".")
        while "_orig_mod" in parts:
            parts.remove("_orig_mod")
        plain[".".join(parts)] = value.clone()
    return plain


def closed_book_repair():
    def broken(x):
        y = x * 3
        print("seen", end=" ")
        return y.sin()

    def repaired(x):
        return (x * 3).sin()

    x = torch.tensor([[0.1, -2.0], [3.0, 0.5]])
    a, b = find_break(broken, x), find_break(repaired, x)
    outs = []
    for fn in (broken, repaired):
        z = x.clone().requires_grad_()
        o = fn(z)
        o.sum().backward()
        outs.append((o.detach(), z.grad))
    return {
        "broken": broken,
        "repaired": repaired,
        "x": x,
        "graphs": [a["graphs"], b["graphs"]],
        "reason": a["reason"],
        "outputs_equal": bool((outs[0][0] == outs[1][0]).all()),
        "gradients_equal": bool((outs[0][1] == outs[1][1]).all()),
        "sentence": f"A print split it into {a['graphs']} graphs; without it there is {b['graphs']}.",
    }
