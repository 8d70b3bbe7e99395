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
from contextlib import nullcontext

import torch
from torch import nn
from torch.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
    set_checkpoint_early_stop,
)
from torch.utils.flop_counter import FlopCounterMode


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
      forward that is run again found it, though other forwards ran since, and what they write there
      is thrown away. A forward without a backward updates buffers as usual, and a graph that is
      kept (`retain_graph`) can be run backward again. (State outside of buffers, such as a Python
      attribute, is out of reach; `step_differences` finds such a block.)
    - in training and evaluation mode, which is that of each layer when it runs, and without
      gradients, when nothing is run again.

    Args:
        model: `torch.nn.Sequential` of n blocks.
        segments: Segments k, from 1 to n.

    Returns:
        A `torch.nn.Module` called with one tensor. Its parameters are the model's own, the same
        objects in the same order.

    Raises:
        ValueError: If `segments` is not from 1 to n.
    """
    # region 8.6.h
    return _Segments(model, segments)
    # endregion


# region hidden
class _Segments(nn.Module):
    """Segments of a model, each of them checkpointed."""

    def __init__(self, model, segments, keep=None):
        super().__init__()
        if not 1 <= segments <= len(model):
            raise ValueError(f"{len(model)} blocks cannot be cut into {segments} segments")
        short, longer = divmod(len(model), segments)
        self.parts, start = nn.ModuleList(), 0
        for index in range(segments):
            end = start + short + (index >= segments - longer)
            self.parts.append(model[start:end])
            start = end
        self.keep = keep

    def forward(self, x):
        for part in self.parts:
            x = checkpoint(
                part, x, use_reentrant=False, context_fn=lambda part=part: self._contexts(part)
            )
        return x

    def _contexts(self, part):
        """Return a context for the first run and one for the second."""
        if self.keep is None:
            return nullcontext(), _BuffersAsTheyWere(part)
        first, second = create_selective_checkpoint_contexts(self.keep)
        return first, _Both(_BuffersAsTheyWere(part), second)


class _BuffersAsTheyWere:
    """While entered, a module has copies of the buffers that it had when this was made."""

    def __init__(self, module):
        self.before = [
            (owner, name, buffer.clone())
            for owner in module.modules()
            for name, buffer in owner._buffers.items()
            if buffer is not None
        ]

    def __enter__(self):
        self.now = [(owner, name, owner._buffers[name]) for owner, name, _ in self.before]
        for owner, name, buffer in self.before:
            owner._buffers[name] = buffer.clone()

    def __exit__(self, *error):
        for owner, name, buffer in self.now:
            owner._buffers[name] = buffer


class _Both:
    """Two contexts as one."""

    def __init__(self, outer, inner):
        self.outer, self.inner = outer, inner

    def __enter__(self):
        self.outer.__enter__()
        self.inner.__enter__()

    def __exit__(self, *error):
        self.inner.__exit__(*error)
        self.outer.__exit__(*error)


# endregion


def recompute_report(model, x, segments, meter, early_stop=True):
    """Measure one forward and backward of a model: bytes by phase, calls, FLOPs.

    The forward is ``y = f(x)``, the backward ``y.sum().backward()``, where f is the model itself if
    `segments` is None, else ``checkpointed(model, segments)``. `early_stop` is the setting of
    `torch.utils.checkpoint.set_checkpoint_early_stop`: the recomputation of a segment ends as soon
    as all that its backward needs is there. (A `checkpointed` that is not built on
    `torch.utils.checkpoint` has no early stop; report on one that is.)

    The ledger has a run of its own: FlopCounterMode holds on to tensors of checkpointed regions, so
    that a peak that is taken beside it is too high.

    The model is left as it was found: its gradients, its buffers, its mode, no hook stays on it or
    on all modules; torch's random generator stands where it stood. What is measured is a first step
    of the model, each layer in the mode it is in: no gradient exists before it.

    Args:
        model: `torch.nn.Sequential` of n blocks.
        x: Input ``[B, D]``; data, it needs no gradient.
        segments: Segments k, from 1 to n, or None.
        meter: ``meter()`` makes a new ledger of live bytes with the interface of
            `grader.instruments.live_bytes.LiveBytes`: ``ledger.track(model, x)`` takes in what
            exists already (a view of a weight would count as new bytes otherwise);
            ``with ledger:`` switches it on; ``with ledger.phase(name):`` inside it measures a
            phase, and then ``ledger.phases[name]`` has the attributes ``before``, ``peak``
            and ``after`` [B].
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
    # region 8.6.i
    with torch.random.fork_rng(devices=[x.device] if x.is_cuda else []):
        mine, run = _private(model, segments)
        ledger = meter()
        ledger.track(mine, x)
        with set_checkpoint_early_stop(early_stop), ledger:
            with ledger.phase("forward"):
                y = run(x)
            with ledger.phase("backward"):
                y.sum().backward()
        first, second = ledger.phases["forward"], ledger.phases["backward"]
        del y
        calls, forward, backward = _counted(model, x, segments, early_stop)
    return {
        "live": first.after - first.before,
        "peak": {"forward": first.peak - first.before, "backward": second.peak - first.before},
        "calls": calls,
        "flops": {
            "forward": forward,
            "backward": backward,
            "ratio": (forward + backward) / forward if forward else float("nan"),
        },
    }
    # endregion


# region hidden
def _private(model, segments):
    """Return a copy of the model without gradients, and what runs it."""
    mine = copy.deepcopy(model)
    mine.zero_grad(set_to_none=True)
    return mine, mine if segments is None else _Segments(mine, segments)


def _counted(model, x, segments, early_stop):
    """Return calls of each block, and the FLOPs of forward and backward."""
    mine, run = _private(model, segments)
    calls = [0] * len(mine)

    def count(index):
        def hook(module, inputs):
            calls[index] += 1

        return hook

    for index, block in enumerate(mine):
        block.register_forward_pre_hook(count(index))
    counter = FlopCounterMode(display=False)
    with set_checkpoint_early_stop(early_stop), counter:
        y = run(x)
        forward = counter.get_total_flops()
        y.sum().backward()
        return calls, forward, counter.get_total_flops() - forward


# endregion


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
    # region 8.6.j
    with torch.random.fork_rng(devices=[x.device] if x.is_cuda else []):
        plain, other = (_step(make, x, seed) for make in (make_plain, make_other))
    for kind in ("parameters", "buffers"):
        if len(plain[kind]) != len(other[kind]):
            raise ValueError(f"{len(plain[kind])} {kind} against {len(other[kind])}")
    pairs = [("output", plain["output"], other["output"])]
    pairs += [("input gradient", plain["input"], other["input"])]
    for kind, word in (("parameters", "gradient of"), ("buffers", "buffer")):
        pairs += [
            (f"{word} {name}", mine, theirs)
            for (name, mine), (_, theirs) in zip(plain[kind], other[kind], strict=True)
        ]
    pairs += [("random state", plain["random state"], other["random state"])]
    return [name for name, mine, theirs in pairs if not _same_bits(mine, theirs)]
    # endregion


# region hidden
def _step(make, x, seed):
    """Return what one step of a new model leaves."""
    model = make()
    mine = x.detach().clone().requires_grad_(x.requires_grad)
    torch.manual_seed(seed)
    y = model(mine)
    y.sum().backward()
    return {
        "output": y.detach(),
        "input": mine.grad,
        "parameters": [(name, parameter.grad) for name, parameter in model.named_parameters()],
        "buffers": list(model.named_buffers()),
        "random state": torch.get_rng_state(),
    }


def _same_bits(mine, theirs):
    """Return whether two tensors, or two missing ones, are the same."""
    if mine is None or theirs is None:
        return mine is theirs
    if mine.dtype != theirs.dtype or mine.shape != theirs.shape:
        return False
    nan = torch.isnan(mine)
    return torch.equal(nan, torch.isnan(theirs)) and torch.equal(mine[~nan], theirs[~nan])


# endregion


def selective(model, segments):
    """Return a module like `checkpointed` that keeps the results of matrix products.

    Matrix products are the expensive part of a forward; what lies between them (activations,
    dropout, norms) is cheap to run again and takes as much memory. So in the backward no product
    is run a second time: FlopCounterMode counts what it counts for the model alone. All else that
    lies inside a segment is run again.

    Everything that `checkpointed` promises about results holds here too, for one backward of a
    graph: what is kept is used up by it.

    Args:
        model: `torch.nn.Sequential` of n blocks. Products are those of `torch.nn.Linear`,
            `torch.matmul` and `torch.bmm`, with and without bias, of matrices and of batches.
        segments: Segments k, from 1 to n.

    Returns:
        A `torch.nn.Module` called with one tensor, with the model's own parameters in order.

    Raises:
        ValueError: If `segments` is not from 1 to n.
    """
    # region 8.6.k
    return _Segments(model, segments, keep=_keep_products)
    # endregion


# region hidden
_PRODUCTS = (
    torch.ops.aten.mm.default,
    torch.ops.aten.addmm.default,
    torch.ops.aten.bmm.default,
    torch.ops.aten.baddbmm.default,
)


def _keep_products(context, operation, *arguments, **named):
    """Keep products, run everything else again."""
    if operation in _PRODUCTS:
        return CheckpointPolicy.MUST_SAVE
    return CheckpointPolicy.PREFER_RECOMPUTE


# endregion


def checkpoint_by_hand(block, x):
    """Closed book: checkpoint one block yourself, without `torch.utils.checkpoint`.

    Without notes: write a `torch.autograd.Function` that runs the block without recording, keeps
    its input and the state of torch's generator, and in the backward runs the block again, records
    this time, and returns the gradients.

    What holds afterwards:

    - output and gradients are those of ``block(x)``, bit for bit, with dropout too, and for blocks
      that have no parameters, or one that they do not use;
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
    # region 8.6.l
    return _ByHand.apply(block, x, *block.parameters())
    # endregion


# region hidden
class _ByHand(torch.autograd.Function):
    """A block that is run again in the backward; its parameters are inputs, so they get theirs."""

    @staticmethod
    def forward(ctx, block, x, *parameters):
        ctx.block, ctx.states = block, _generators(x)
        ctx.save_for_backward(x)
        return block(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        now = _generators(x)
        _put_back(ctx.states, x)
        try:
            with torch.enable_grad():
                inner = x.detach().requires_grad_(ctx.needs_input_grad[1])
                y = ctx.block(inner)
        finally:
            _put_back(now, x)
        sources = [inner, *ctx.block.parameters()]
        wanted = [s for s, needed in zip(sources, ctx.needs_input_grad[1:], strict=True) if needed]
        found = iter(torch.autograd.grad(y, wanted, grad, allow_unused=True))
        return None, *(next(found) if needed else None for needed in ctx.needs_input_grad[1:])


def _generators(x):
    """Return the state of torch's generator, and of the device's."""
    return torch.get_rng_state(), torch.cuda.get_rng_state(x.device) if x.is_cuda else None


def _put_back(states, x):
    """Put the generators where they stood."""
    torch.set_rng_state(states[0])
    if states[1] is not None:
        torch.cuda.set_rng_state(states[1], x.device)


# endregion
