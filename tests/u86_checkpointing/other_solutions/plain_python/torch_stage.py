"""Another way: a checkpoint of one's own for all, buffers written back in place, lists compared."""

import contextlib
import copy

import torch
from torch import nn
from torch.utils import checkpoint as torch_checkpoint
from torch.utils.flop_counter import FlopCounterMode


class _Own(torch.autograd.Function):
    """Run again in the backward under the same autocast, numbers and buffers."""

    @staticmethod
    def forward(ctx, function, x, *parameters):
        ctx.function, ctx.parameters = function, parameters
        ctx.state = torch.get_rng_state()
        ctx.autocast = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
        ctx.save_for_backward(x)
        return function(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        stood = torch.get_rng_state()
        torch.set_rng_state(ctx.state)
        inner = x.detach()
        inner.requires_grad = ctx.needs_input_grad[1]
        enabled, dtype = ctx.autocast
        with torch.enable_grad(), torch.autocast("cpu", dtype, enabled):
            y = ctx.function(inner)
        torch.set_rng_state(stood)
        inputs = [inner, *ctx.parameters]
        wanted = [i for i, needed in enumerate(ctx.needs_input_grad[1:]) if needed]
        grads = [None] * len(inputs)
        found = torch.autograd.grad(y, [inputs[i] for i in wanted], grad, allow_unused=True)
        for place, gradient in zip(wanted, found, strict=True):
            grads[place] = gradient
        return None, *grads


def _with_old_buffers(part):
    old = [buffer.clone() for buffer in part.buffers()]
    times = [0]

    def run(x):
        times[0] += 1
        if times[0] == 1:
            return part(x)
        new = [buffer.clone() for buffer in part.buffers()]
        with torch.no_grad():
            for buffer, value in zip(part.buffers(), old, strict=True):
                buffer.copy_(value)
        try:
            return part(x)
        finally:
            with torch.no_grad():
                for buffer, value in zip(part.buffers(), new, strict=True):
                    buffer.data.copy_(value)

    return run


class _Segmented(nn.Module):
    def __init__(self, model, segments):
        super().__init__()
        n = len(model)
        if not (0 < segments <= n):
            raise ValueError("no such cut")
        self.model = model
        self.cuts = []
        at = 0
        for left in range(segments, 0, -1):
            length = (n - at) // left
            self.cuts.append((at, at + length))
            at += length

    def forward(self, x):
        for a, b in self.cuts:
            x = self.one(self.model[a:b], x)
        return x

    def one(self, part, x):
        if not torch.is_grad_enabled():
            return part(x)
        return _Own.apply(_with_old_buffers(part), x, *part.parameters())


def checkpointed(model, segments):
    return _Segmented(model, segments)


class _Torchs(_Segmented):
    early_stop = True

    def one(self, part, x):
        return torch_checkpoint.checkpoint(
            _with_old_buffers(part), x, use_reentrant=False, early_stop=self.early_stop
        )


def recompute_report(model, x, segments, meter, early_stop=True):
    def fresh():
        twin = copy.deepcopy(model)
        twin.zero_grad()
        if segments is None:
            return twin, twin
        run = _Torchs(twin, segments)
        run.early_stop = early_stop
        return twin, run

    with torch.random.fork_rng(devices=[]):
        twin, run = fresh()
        calls = [[] for _ in twin]
        handles = [
            block.register_forward_pre_hook(lambda *_, seen=seen: seen.append(1))
            for block, seen in zip(twin, calls, strict=True)
        ]
        with FlopCounterMode(display=False) as first:
            y = run(x)
        with FlopCounterMode(display=False) as second:
            y.sum().backward()
        for handle in handles:
            handle.remove()
        del y
        twin, run = fresh()
        ledger = meter()
        ledger.track(twin)
        ledger.track(x)
        ledger.__enter__()
        try:
            with ledger.phase("forward"):
                y = run(x)
            with ledger.phase("backward"):
                loss = y.sum()
                loss.backward()
        finally:
            ledger.__exit__(None, None, None)
    phases = ledger.phases
    forward, backward = first.get_total_flops(), second.get_total_flops()
    return {
        "live": phases["forward"].after - phases["forward"].before,
        "peak": {
            "forward": phases["forward"].peak - phases["forward"].before,
            "backward": phases["backward"].peak - phases["forward"].before,
        },
        "calls": [len(seen) for seen in calls],
        "flops": {
            "forward": forward,
            "backward": backward,
            "ratio": 1 + backward / forward if forward > 0 else float("nan"),
        },
    }


def step_differences(make_plain, make_other, x, seed=0):
    def step(make):
        model = make()
        mine = x.detach().clone().requires_grad_(x.requires_grad)
        with torch.random.fork_rng(devices=[]):
            torch.random.manual_seed(seed)
            y = model(mine)
            torch.autograd.backward(y.sum())
            state = torch.random.get_rng_state()
        return model, y, mine.grad, state

    with torch.random.fork_rng(devices=[]):
        plain, y, gx, state = step(make_plain)
        other, their_y, their_gx, their_state = step(make_other)
    mine, theirs = list(plain.named_parameters()), list(other.parameters())
    buffers, their_buffers = list(plain.named_buffers()), list(other.buffers())
    if (len(mine), len(buffers)) != (len(theirs), len(their_buffers)):
        raise ValueError("other models")
    found = []

    def look(name, a, b):
        if a is None and b is None:
            return
        try:
            if a is None or b is None:
                raise AssertionError
            torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)
        except AssertionError:
            found.append(name)

    look("output", y, their_y)
    look("input gradient", gx, their_gx)
    for (name, parameter), their in zip(mine, theirs, strict=True):
        look(f"gradient of {name}", parameter.grad, their.grad)
    for (name, buffer), their in zip(buffers, their_buffers, strict=True):
        look(f"buffer {name}", buffer, their)
    look("random state", state, their_state)
    return found


def _policy(context, operation, *args, **kwargs):
    name = operation.name() if hasattr(operation, "name") else str(operation)
    return name.split("::")[-1].split(".")[0] in ("mm", "addmm", "bmm", "baddbmm")


@contextlib.contextmanager
def _old_buffers(part, old, policy):
    new = [buffer.clone() for buffer in part.buffers()]
    pairs = list(zip(part.buffers(), old, new, strict=True))
    for buffer, value, _ in pairs:
        buffer.data.copy_(value)
    try:
        with policy:
            yield
    finally:
        for buffer, _, value in pairs:
            buffer.data.copy_(value)


class _KeepsProducts(_Segmented):
    def one(self, part, x):
        def contexts():
            first, second = torch_checkpoint.create_selective_checkpoint_contexts(_policy)
            old = [buffer.clone() for buffer in part.buffers()]
            return first, _old_buffers(part, old, second)

        return torch_checkpoint.checkpoint(part, x, use_reentrant=False, context_fn=contexts)


def selective(model, segments):
    return _KeepsProducts(model, segments)


def checkpoint_by_hand(block, x):
    return _Own.apply(block, x, *block.parameters())
