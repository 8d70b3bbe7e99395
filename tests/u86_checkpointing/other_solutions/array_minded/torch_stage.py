"""Another way: second runs by functional_call, calls counted beside the ledger, bytes compared."""

import copy
import itertools

import torch
from torch import nn
from torch.func import functional_call
from torch.utils.checkpoint import (
    checkpoint,
    create_selective_checkpoint_contexts,
    set_checkpoint_early_stop,
)
from torch.utils.flop_counter import FlopCounterMode


class _Chain(nn.Sequential):
    def forward(self, x):
        for part in self:
            x = self.through(part, x)
        return x

    def through(self, part, x):
        if not torch.is_grad_enabled():
            return part(x)
        return checkpoint(_first_then_again(part), x, use_reentrant=False)


def _copies(buffers):
    return {name: buffer.clone() for name, buffer in buffers.items()}


def _first_then_again(part, taken=_copies):
    before = _copies(dict(part.named_buffers()))
    runs = []

    def run(x):
        runs.append(None)
        if len(runs) == 1:
            return part(x)
        return functional_call(part, taken(before), (x,))

    return run


def _cut(model, segments):
    n = len(model)
    if segments < 1 or segments > n:
        raise ValueError("no such cut")
    lengths = [n // segments] * (segments - n % segments) + [n // segments + 1] * (n % segments)
    blocks = iter(model)
    return [nn.Sequential(*(next(blocks) for _ in range(length))) for length in lengths]


def checkpointed(model, segments):
    return _Chain(*_cut(model, segments))


def recompute_report(model, x, segments, meter, early_stop=True):
    state = torch.get_rng_state()
    twin = copy.deepcopy(model)
    for parameter in twin.parameters():
        parameter.grad = None
    run = twin if segments is None else checkpointed(twin, segments)
    calls = dict.fromkeys(range(len(twin)), 0)

    def note(number):
        def hook(*_):
            calls[number] += 1

        return hook

    for number, block in enumerate(twin):
        block.register_forward_pre_hook(note(number))
    ledger = meter()
    ledger.track(twin, x)
    with ledger, set_checkpoint_early_stop(early_stop):
        with ledger.phase("forward"):
            y = run(x)
        with ledger.phase("backward"):
            y.sum().backward()
    seen = tuple(calls.values())
    flops = FlopCounterMode(display=False)
    with flops, set_checkpoint_early_stop(early_stop):
        y = run(x)
        forward = flops.get_total_flops()
        y.sum().backward()
    torch.set_rng_state(state)
    total = flops.get_total_flops()
    base = ledger.phases["forward"].before
    return {
        "live": ledger.phases["forward"].after - base,
        "peak": {name: ledger.phases[name].peak - base for name in ("forward", "backward")},
        "calls": seen,
        "flops": {
            "forward": forward,
            "backward": total - forward,
            "ratio": torch.tensor(total / forward) if forward else torch.tensor(torch.nan),
        },
    }


def _bytes(tensor):
    if tensor is None:
        return None
    tensor = tensor.detach()
    plain = tensor.contiguous().view(-1).numpy().tobytes()
    return str(tensor.dtype), tuple(tensor.shape), plain


def step_differences(make_plain, make_other, x, seed=0):
    state = torch.get_rng_state()
    rows = []
    for make in (make_plain, make_other):
        model, mine = make(), x.detach().clone()
        mine.requires_grad = x.requires_grad
        torch.manual_seed(seed)
        y = model(mine)
        y.sum().backward()
        after = torch.get_rng_state()
        rows.append(
            (
                [("output", _bytes(y)), ("input gradient", _bytes(mine.grad))],
                [(f"gradient of {n}", _bytes(p.grad)) for n, p in model.named_parameters()],
                [(f"buffer {n}", _bytes(b)) for n, b in model.named_buffers()],
                [("random state", _bytes(after))],
            )
        )
    torch.set_rng_state(state)
    for mine, theirs in zip(*rows, strict=True):
        if len(mine) != len(theirs):
            raise ValueError("not the same models")
    pairs = zip(*(itertools.chain(*row) for row in rows), strict=True)
    return tuple(mine[0] for mine, theirs in pairs if mine[1] != theirs[1])


class _Selective(_Chain):
    def through(self, part, x):
        if not torch.is_grad_enabled():
            return part(x)
        aten = torch.ops.aten
        kept = [aten.mm.default, aten.addmm.default, aten.bmm.default, aten.baddbmm.default]
        return checkpoint(
            _first_then_again(part, dict),  # one backward, and a copy would be one operator more
            x,
            use_reentrant=False,
            context_fn=lambda: create_selective_checkpoint_contexts(kept),
        )


def selective(model, segments):
    return _Selective(*_cut(model, segments))


class _Again(torch.autograd.Function):
    @staticmethod
    def forward(block, state, x, *parameters):
        return block(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.block, ctx.state, x, *parameters = inputs
        ctx.save_for_backward(x, *parameters)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        x, *parameters = ctx.saved_tensors
        leaf = x.detach().requires_grad_(ctx.needs_input_grad[2])
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            torch.set_rng_state(ctx.state)
            y = ctx.block(leaf)
        wanted = [t for t in (leaf, *parameters) if t.requires_grad]
        found = dict(
            zip(
                map(id, wanted),
                torch.autograd.grad(y, wanted, grad, allow_unused=True),
                strict=True,
            )
        )
        return None, None, *(found.get(id(t)) for t in (leaf, *parameters))


def checkpoint_by_hand(block, x):
    return _Again.apply(block, torch.get_rng_state(), x, *block.parameters())
