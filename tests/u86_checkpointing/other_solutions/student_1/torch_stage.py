"""Unit 8.6, PyTorch stage: checkpoint a model, report what it costs, prove that nothing changed.

A *model* here is a `torch.nn.Sequential` of n blocks; each block takes one tensor and returns one.
Blocks may draw random numbers (dropout), and may keep state in buffers, which they read and write
when they run: BatchNorm's running statistics, or a count. Letters in shapes: B batch, D width,
n blocks, k segments.

Segments are those of `segment_spans` in the NumPy stage: their lengths differ by at most one, and
the longer ones come last. A function that changes a setting of the process puts it back before it
returns. Everything runs on a CPU, and on a device in the same way.
"""

import copy
from collections import Counter
from contextlib import contextmanager, nullcontext
from functools import partial

import torch
from torch import nn
from torch.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
    set_checkpoint_early_stop,
)
from torch.utils.flop_counter import FlopCounterMode


class _Parts(nn.Module):
    def __init__(self, model, segments, contexts):
        super().__init__()
        n, k = len(model), segments
        if not (1 <= k <= n and k == int(k)):
            raise ValueError("segments must be from 1 to n")
        k = int(k)
        cuts = [i * (n // k) + max(0, i - k + n % k) for i in range(k + 1)]
        self.parts = nn.ModuleList(model[i:j] for i, j in zip(cuts, cuts[1:], strict=False))
        self._model, self._contexts = [model], contexts

    def forward(self, x):
        self.training = self._model[0].training
        for part in self.parts:
            if torch.is_grad_enabled():
                x = checkpoint(part, x, use_reentrant=False, context_fn=partial(self._pair, part))
            else:
                x = part(x)
        return x

    def train(self, mode=True):
        self._model[0].train(mode)
        return super().train(mode)

    def _pair(self, part):
        first, second = self._contexts()
        modules = list(part.modules())
        modes = [m.training for m in modules]
        before = _copies([dict(m._buffers) for m in modules])

        @contextmanager
        def rerun():
            now = [(m.training, dict(m._buffers)) for m in modules]
            try:
                _put(modules, zip(modes, _copies(before), strict=True))
                with second:
                    yield
            finally:
                _put(modules, now)

        return first, _Anew(rerun)


class _Anew:
    def __init__(self, make):
        self.make, self.open = make, []

    def __enter__(self):
        self.open.append(self.make())
        return self.open[-1].__enter__()

    def __exit__(self, *error):
        return self.open.pop().__exit__(*error)


def _copies(dicts):
    memo = {}
    for d in dicts:
        for b in d.values():
            if b is not None and id(b) not in memo:
                memo[id(b)] = b.detach().clone()
    return [{n: None if b is None else memo[id(b)] for n, b in d.items()} for d in dicts]


def _put(modules, states):
    for m, (training, buffers) in zip(modules, states, strict=True):
        m.training = training
        m._buffers.clear()
        m._buffers.update(buffers)


class _ByHand(torch.autograd.Function):
    @staticmethod
    def forward(ctx, block, x, *parameters):
        kind = x.device.type
        ctx.block, ctx.parameters, ctx.rng = block, parameters, torch.get_rng_state()
        ctx.cast = (kind, torch.get_autocast_dtype(kind), torch.is_autocast_enabled(kind))
        ctx.save_for_backward(x)
        with torch.no_grad():
            return block(x)

    @staticmethod
    def backward(ctx, grad):
        needs = ctx.needs_input_grad[1:]
        x = ctx.saved_tensors[0].detach().requires_grad_(needs[0])
        with torch.random.fork_rng(), torch.enable_grad(), torch.autocast(*ctx.cast):
            torch.set_rng_state(ctx.rng)
            y = ctx.block(x)
        wanted = [t for t, need in zip((x, *ctx.parameters), needs, strict=True) if need]
        grads = iter(torch.autograd.grad(y, wanted, grad, allow_unused=True))
        return None, *(next(grads) if need else None for need in needs)


def checkpointed(model, segments):
    """Return a module that computes what the model does, and keeps only the segments' inputs.

    Between forward and backward nothing inside a segment stays in memory; in the backward each
    segment is run again, the last one first. Every segment is checkpointed, the last one too.

    Whatever is computed is what the model alone computes, bit for bit: output, gradients of
    parameters and input, buffers afterwards, and where torch's random generator stands.
    That holds

    - where the input of the first block is data that needs no gradient, where parameters are
      frozen or shared between blocks, for batches of size 0 or 1 and for inputs that are views;
    - for `Tensor.backward` and `torch.autograd.grad`, and under `torch.autocast`;
    - for blocks with dropout, and if torch's generator was used between forward and backward;
    - for blocks with buffers: when a segment is run again, its blocks find every buffer as the
      forward found it, and what they write there is thrown away. A forward without a backward
      updates buffers as usual. (State outside of buffers, such as a Python attribute, is out of
      reach; `step_differences` finds such a block.)
    - in training and evaluation mode, which is the model's own, and without gradients, when
      nothing is run again.

    Args:
        model: `torch.nn.Sequential` of n blocks.
        segments: Segments k, from 1 to n.

    Returns:
        A `torch.nn.Module` called with one tensor. Its parameters are the model's own, the same
        objects in the same order.

    Raises:
        ValueError: If `segments` is not from 1 to n.
    """
    return _Parts(model, segments, lambda: (nullcontext(), nullcontext()))


def recompute_report(model, x, segments, meter, early_stop=True):
    """Measure one forward and backward of a model: bytes by phase, calls, FLOPs.

    The forward is ``y = f(x)``, the backward ``y.sum().backward()``, where f is the model itself if
    `segments` is None, else ``checkpointed(model, segments)``. `early_stop` is the setting of
    `torch.utils.checkpoint.set_checkpoint_early_stop`: the recomputation of a segment ends as soon
    as all that its backward needs is there. (A `checkpointed` that is not built on
    `torch.utils.checkpoint` has no early stop; report on one that is.)

    The ledger has a run of its own: FlopCounterMode holds on to tensors of checkpointed regions, so
    that a peak that is taken beside it is too high.

    The model is left as it was found: its gradients, its buffers, no hook stays on it; torch's
    random generator stands where it stood. What is measured is a first step: no gradient exists
    before it.

    Args:
        model: `torch.nn.Sequential` of n blocks.
        x: Input ``[B, D]``; data, it needs no gradient.
        segments: Segments k, from 1 to n, or None.
        meter: ``meter()`` makes a new ledger of live bytes with the interface of
            `grader.instruments.live_bytes.LiveBytes`: ``ledger.track(model, x)`` takes in what
            exists already (a view of a weight would count as new bytes otherwise);
            ``with ledger:`` switches it on; ``with ledger.phase(name):`` inside it measures a
            phase, and then ``ledger.phases[name]`` has ``before``, ``peak`` and ``after`` [B].
        early_stop: Whether recomputation may stop early.

    Returns:
        A dict with

        - ``"live"``: bytes that the forward left in memory, its output among them [B]: ``after``
          less ``before`` of the forward.
        - ``"peak"``: ``{"forward": B, "backward": B}``, the most in each phase, less what was there
          before the forward [B]. In the backward this includes the gradients.
        - ``"calls"``: how often the forward of each block was called in the step, a list of n.
          A call that ends early is a call.
        - ``"flops"``: ``{"forward": FLOP, "backward": FLOP, "ratio": 1}`` by `FlopCounterMode`; the
          ratio is both together over the forward, NaN if the forward has none.

    Raises:
        ValueError: If `segments` is neither None nor from 1 to n.
    """
    def fresh():
        twin = copy.deepcopy(model)
        twin.zero_grad(set_to_none=True)
        return twin, twin if segments is None else checkpointed(twin, segments)

    x = x.detach()
    with torch.random.fork_rng(), set_checkpoint_early_stop(early_stop):
        twin, f = fresh()
        ledger = meter()
        ledger.track(twin, x)
        with ledger:
            with ledger.phase("forward"):
                y = f(x)
            with ledger.phase("backward"):
                y.sum().backward()
        one, two = ledger.phases["forward"], ledger.phases["backward"]
        del y
    with torch.random.fork_rng(), set_checkpoint_early_stop(early_stop):
        twin, f = fresh()
        calls = Counter()
        for block in set(twin):
            block.register_forward_pre_hook(lambda b, _: calls.update([b]))
        with FlopCounterMode(display=False) as counter:
            y = f(x)
            forward = counter.get_total_flops()
            y.sum().backward()
        backward = counter.get_total_flops() - forward
    return {
        "live": one.after - one.before,
        "peak": {"forward": one.peak - one.before, "backward": two.peak - one.before},
        "calls": [calls[block] for block in twin],
        "flops": {
            "forward": forward,
            "backward": backward,
            "ratio": (forward + backward) / forward if forward else float("nan"),
        },
    }


def step_differences(make_plain, make_other, x, seed=0):
    """Run the same step on two models and name what is not the same, bit for bit.

    Each model is made, then torch's generator is seeded with `seed`, then it runs
    ``y = model(x)`` and ``y.sum().backward()``, on an input of its own, which is `x` detached and
    copied, and needs a gradient if `x` does. `x` itself is left alone, and torch's generator
    stands where it stood.

    Bits decide: NaN in the same place is the same, a gradient of zeros is not a missing gradient,
    another dtype or shape is a difference.

    Args:
        make_plain: Returns a new model, the one that is right.
        make_other: Returns a new model with the same weights, parameters and buffers in the same
            order; their names may differ (``parts.0.0.weight``).
        x: Input.
        seed: For torch's generator, right before each forward.

    Returns:
        List of texts, empty if nothing differs, in this order: ``"output"``; ``"input gradient"``;
        ``"gradient of NAME"`` for each parameter; ``"buffer NAME"`` for each buffer after the
        step; ``"random state"`` if torch's generator stands elsewhere after the step. Names are
        those that the plain model has for them.

    Raises:
        ValueError: If the models do not have equally many parameters, or buffers.
    """
    def step(model):
        leaf = x.detach().clone().requires_grad_(x.requires_grad)
        torch.manual_seed(seed)
        y = model(leaf)
        y.sum().backward()
        return [
            y,
            leaf.grad,
            *(p.grad for p in model.parameters()),
            *model.buffers(),
            torch.get_rng_state(),
        ]

    def same(a, b):
        if a is None or b is None:
            return a is b
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        return bool(((a == b) & (a.signbit() == b.signbit()) | (a != a) & (b != b)).all())

    with torch.random.fork_rng():
        plain, other = make_plain(), make_other()
        for kind in ("parameters", "buffers"):
            if len(list(getattr(plain, kind)())) != len(list(getattr(other, kind)())):
                raise ValueError(f"the models do not have equally many {kind}")
        pairs = list(zip(step(plain), step(other), strict=True))
    names = ["output", "input gradient"]
    names += [f"gradient of {n}" for n, _ in plain.named_parameters()]
    names += [f"buffer {n}" for n, _ in plain.named_buffers()] + ["random state"]
    return [name for name, pair in zip(names, pairs, strict=True) if not same(*pair)]


def selective(model, segments):
    """Return a module like `checkpointed` that keeps the results of matrix products.

    Matrix products are the expensive part of a forward; what lies between them (activations,
    dropout, norms) is cheap to run again and takes as much memory. So in the backward no product
    is run a second time: FlopCounterMode counts what it counts for the model alone. All else that
    lies inside a segment is run again.

    Everything that `checkpointed` promises about results holds here too.

    Args:
        model: `torch.nn.Sequential` of n blocks. Products are those of `torch.nn.Linear`,
            `torch.matmul` and `torch.bmm`, with and without bias, of matrices and of batches.
        segments: Segments k, from 1 to n.

    Returns:
        A `torch.nn.Module` called with one tensor, with the model's own parameters in order.

    Raises:
        ValueError: If `segments` is not from 1 to n.
    """
    a = torch.ops.aten
    products = {
        op
        for packet in (a.mm, a.addmm, a.bmm, a.baddbmm, a.mv, a.addmv, a.dot, a.linear)
        for op in (getattr(packet, o) for o in packet.overloads())
    }

    def policy(ctx, op, *args, **kwargs):
        keep = op in products
        return CheckpointPolicy.MUST_SAVE if keep else CheckpointPolicy.PREFER_RECOMPUTE

    return _Parts(model, segments, lambda: create_selective_checkpoint_contexts(policy))


def checkpoint_by_hand(block, x):
    """Closed book: checkpoint one block yourself, without `torch.utils.checkpoint`.

    Without notes: write a `torch.autograd.Function` that runs the block without recording, keeps
    its input and the state of torch's generator, and in the backward runs the block again, records
    this time, and returns the gradients.

    What holds afterwards:

    - output and gradients are those of ``block(x)``, bit for bit, with dropout too;
    - the gradients of the block's parameters are there also if `x` is data that needs none; that
      of `x` is there if it needs one; frozen parameters have none. Both `Tensor.backward` and
      `torch.autograd.grad` work;
    - nothing inside the block stays in memory between forward and backward;
    - the block's forward is called twice, and after the backward torch's generator stands where it
      stood before it.

    Buffers are out of scope here, and so is a second derivative.

    Args:
        block: `torch.nn.Module`, called with one tensor, returns one; gradients are recorded.
        x: Its input.

    Returns:
        Its output, ready for a backward.
    """
    return _ByHand.apply(block, x, *(p for p in block.parameters() if p.requires_grad))
