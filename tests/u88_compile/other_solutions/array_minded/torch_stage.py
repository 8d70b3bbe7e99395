"""Unit 8.8 with torch's own counters, gradients from autograd.grad, and the model put back."""
# ruff: noqa

import contextlib
import re
import time

import numpy as np
import torch
import torch._dynamo as dynamo
from torch import nn
from torch._dynamo.testing import CompileCounter


def find_break(fn, *args):
    dynamo.reset()
    reason = None

    @dynamo.error_on_graph_break(True)
    def guarded(*inputs):
        return torch.compile(fn, backend="eager")(*inputs)

    try:
        guarded(*args)
    except (dynamo.exc.Unsupported, dynamo.exc.UserError) as error:
        reason = str(error).splitlines()[0]
    dynamo.reset()
    counter = CompileCounter()
    torch.compile(fn, backend=counter)(*args)
    return {
        "operators": counter.op_count,
        "graphs": counter.frame_count,
        "reason": reason or "",
        "broken": reason is not None,
    }


def compile_counts(fn, calls, dynamic=None):
    dynamo.reset()
    events = []

    def backend(gm, _):
        events.append("compiled")

        class Run(nn.Module):
            def forward(self, *inputs):
                events.append("ran")
                return gm(*inputs)

        return Run().forward

    run = torch.compile(fn, backend=backend, dynamic=dynamic)
    table = np.zeros((len(calls), 2), dtype=int)
    for row, args in zip(table, calls):
        events.clear()
        run(*args)
        row[:] = events.count("compiled"), events.count("ran")
    return {"compiled": table[:, 0].tolist(), "ran": table[:, 1].tolist()}


def scaled(x):
    with torch.no_grad():
        peak = torch.linalg.vector_norm(x, ord=float("inf"))
        divisor = torch.where(peak <= 1, torch.ones_like(peak), peak)
    return x / divisor


def unit_ball(x):
    squared = (x * x).sum()
    divisor = torch.where(squared > 1, squared, 1.0).sqrt()
    return x / divisor.to(x.dtype)


class Warm(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.gain = nn.Parameter(torch.tensor(1.0))
        self.register_buffer("calls", torch.tensor(0.0, dtype=torch.float64), persistent=False)
        self.steps = steps

    def forward(self, x):
        count = self.calls + float(self.training)
        self.calls = count
        return x * self.gain * torch.minimum(count / self.steps, torch.ones_like(count)).to(x.dtype)


def make_warmup(steps):
    return Warm(steps)


def compare(model, batch, backend="aot_eager", rtol=1e-5, seed=0):
    modes = [m.training for m in model.modules()]
    buffers = [(b, b.clone()) for b in model.buffers()]
    parameters = [p for p in model.parameters() if p.requires_grad]
    state = torch.get_rng_state()
    failed = []

    def run(compiled):
        for buffer, before in buffers:
            buffer.copy_(before)
        dynamo.reset()
        x = batch.detach().clone()
        leaves = list(parameters)
        if x.is_floating_point():
            leaves.append(x.requires_grad_())
        torch.manual_seed(seed)
        y = torch.compile(model, backend=backend)(x) if compiled else model(x)
        weights = torch.linspace(0.5, 1.5, max(y.numel(), 1), dtype=y.dtype)[: y.numel()]
        loss = (y * weights.reshape(y.shape)).sum()
        return y.detach(), torch.autograd.grad(loss, leaves, allow_unused=True)

    def near(a, b):
        if a is None or b is None:
            return a is b
        if a.shape != b.shape:
            return False
        return a.numel() == 0 or (a - b).abs().max().item() <= rtol * a.abs().max().item()

    for name, training in (("train", True), ("eval", False)):
        model.train(training)
        with torch.enable_grad():
            (y, g), (z, h) = run(False), run(True)
        if not near(y, z):
            failed += [name + " outputs"]
        if not all(map(near, g, h)):
            failed += [name + " gradients"]
    for module, training in zip(model.modules(), modes):
        module.training = training
    for buffer, before in buffers:
        buffer.copy_(before)
    torch.set_rng_state(state)
    dynamo.reset()
    return {"failed": tuple(failed), "agree": failed == []}


def steady_state(fn, warmup=3, repeats=20, clock=time.perf_counter):
    if min(warmup, repeats) < 1:
        raise ValueError("nothing to time")
    marks = np.zeros((warmup + repeats, 2))
    for row in marks:
        row[0] = clock()
        fn()
        row[1] = clock()
    spans = marks[:, 1] - marks[:, 0]
    p50, p90 = np.percentile(spans[warmup:], [50, 90])
    cost = (spans[:warmup] - p50).sum()
    return {"first": spans[0], "p50": p50, "p90": p90, "cost": cost, "repeats": len(spans) - warmup}


def portable_state(model):
    state = model.state_dict()
    return {re.sub(r"(?:(?<=^)|(?<=\.))_orig_mod\.", "", name): state[name] for name in state}


def closed_book_repair():
    def broken(x):
        largest = (x * x).max().item()
        return x.exp() / (1 + largest)

    def repaired(x):
        return x.exp() / (1 + (x * x).max().detach())

    x = torch.linspace(-1, 2, 4)
    first, second = find_break(broken, x), find_break(repaired, x)
    values = []
    for fn in (broken, repaired):
        with contextlib.suppress(RuntimeError):
            leaf = x.clone().requires_grad_(True)
            y = fn(leaf)
            values.append((y, *torch.autograd.grad(y.sum(), leaf)))
    (a, b), (c, d) = values
    return dict(
        broken=broken,
        repaired=repaired,
        x=x,
        graphs=(first["graphs"], second["graphs"]),
        reason=first["reason"],
        outputs_equal=torch.allclose(a, c),
        gradients_equal=torch.allclose(b, d),
        sentence="Reading the maximum with item gives 2 graphs, a detached maximum gives 1.",
    )
