"""Unit 8.6, PyTorch stage: checkpoint a model, report what it costs, prove that nothing changed.

A *model* here is a `torch.nn.Sequential` of n blocks; each block takes one tensor and returns one.
Blocks may draw random numbers (dropout), and may keep state in buffers, which they read and write
when they run: BatchNorm's running statistics, or a count. Letters in shapes: B batch, D width,
n blocks, k segments.

Segments are those of `segment_spans` in the NumPy stage: their lengths differ by at most one, and
the longer ones come last. A function that changes a setting of the process puts it back before it
returns. Everything runs on a CPU, and on a device in the same way.
"""

from contextlib import ExitStack, nullcontext

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop
from torch.utils.flop_counter import FlopCounterMode


PRODUCTS = {
    torch.ops.aten.mm.default,
    torch.ops.aten.addmm.default,
    torch.ops.aten.bmm.default,
    torch.ops.aten.baddbmm.default,
    torch.ops.aten.mv.default,
    torch.ops.aten.addmv.default,
    torch.ops.aten.dot.default,
}


class _BufferImage:
    """What the buffers of some modules hold now; can be laid over the modules later.

    Buffers are exchanged as objects, so that the model's own tensors are not written to.
    """

    def __init__(self, blocks):
        self.tables = {}  # id of a module: the module, its buffers
        copies = {}  # a buffer may be in several modules
        with torch.no_grad():
            for block in blocks:
                for module in block.modules():
                    if module._buffers and id(module) not in self.tables:
                        self.tables[id(module)] = (module, self._copy(module._buffers, copies))

    @staticmethod
    def _copy(table, copies):
        new = {}
        for name, buffer in table.items():
            if buffer is not None and id(buffer) not in copies:
                copies[id(buffer)] = buffer.detach().clone()
            new[name] = None if buffer is None else copies[id(buffer)]
        return new

    def lay_over(self):
        """Give the modules copies of what is kept here; return the way back."""
        own = []
        copies = {}
        with torch.no_grad():
            for module, table in self.tables.values():
                own.append((module, dict(module._buffers)))
                module._buffers.clear()
                module._buffers.update(self._copy(table, copies))
        return own


class _Laid:
    """Context in which modules find their buffers as an image has them."""

    def __init__(self, image):
        self.image = image

    def __enter__(self):
        self.own = self.image.lay_over()

    def __exit__(self, *error):
        for module, table in self.own:
            module._buffers.clear()
            module._buffers.update(table)


class _Untouched:
    """Context after which gradients, buffers and random generators are what they were."""

    def __init__(self, model):
        self.model = model

    def __enter__(self):
        self.fork = torch.random.fork_rng()
        self.laid = _Laid(_BufferImage([self.model]))
        self.gradients = [(p, p.grad) for p in self.model.parameters()]
        self.fork.__enter__()
        self.laid.__enter__()
        for p, _ in self.gradients:
            p.grad = None

    def __exit__(self, *error):
        for p, gradient in self.gradients:
            p.grad = gradient
        self.laid.__exit__(*error)
        self.fork.__exit__(*error)


class _Shelf(TorchDispatchMode):
    """Results of products: kept in the first run, handed out again in the second."""

    def __init__(self, kept=None):
        super().__init__()
        self.first_run = kept is None
        self.kept = [] if kept is None else list(kept)
        self.position = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in PRODUCTS:
            if self.first_run:
                result = func(*args, **kwargs)
                self.kept.append(result.detach())
                return result
            self.position += 1
            return self.kept[self.position - 1].detach()
        if func._schema.is_mutable:
            self._save_from(func, args, kwargs)
        return func(*args, **kwargs)

    def _save_from(self, func, args, kwargs):
        """Copy what is kept and about to be written to."""
        for number, argument in enumerate(func._schema.arguments):
            if argument.alias_info is None or not argument.alias_info.is_write:
                continue
            value = args[number] if number < len(args) else kwargs.get(argument.name)
            for tensor in value if isinstance(value, (list, tuple)) else [value]:
                if not isinstance(tensor, torch.Tensor):
                    continue
                place = tensor.untyped_storage().data_ptr()
                for i, kept in enumerate(self.kept):
                    if kept.numel() and kept.untyped_storage().data_ptr() == place:
                        self.kept[i] = kept.clone()


class _SecondRun:
    """Context of the second run of a segment; may be entered several times."""

    def __init__(self, image, shelf):
        self.image = image
        self.shelf = shelf

    def __enter__(self):
        self.stack = ExitStack()
        self.stack.enter_context(_Laid(self.image))
        if self.shelf is not None:
            self.stack.enter_context(_Shelf(self.shelf.kept))

    def __exit__(self, *error):
        self.stack.close()


class _Segmented(nn.Module):
    """A model whose segments are checkpointed, one by one."""

    def __init__(self, model, segments, keep_products):
        super().__init__()
        n = len(model)
        if not 1 <= segments <= n:
            raise ValueError(f"cannot cut {n} blocks into {segments} segments")
        self.model = model
        self.training = model.training
        self.keep_products = keep_products
        self.lengths = [n // segments] * segments
        for number in range(n % segments):
            self.lengths[-1 - number] += 1

    def forward(self, x):
        if not torch.is_grad_enabled():
            return self.model(x)
        blocks = list(self.model)
        for length in self.lengths:
            x = self._segment(blocks[:length], x)
            del blocks[:length]
        return x

    def _segment(self, blocks, x):
        def run(h):
            for block in blocks:
                h = block(h)
            return h

        def contexts():
            shelf = _Shelf() if self.keep_products else None
            return shelf or nullcontext(), _SecondRun(_BufferImage(blocks), shelf)

        return checkpoint(run, x, use_reentrant=False, context_fn=contexts)


def _one_step(model, x, seed):
    """Run a step; return (what it is called, copy) of all that can be compared, in order."""
    own = x.detach().clone().requires_grad_(x.requires_grad)
    torch.manual_seed(seed)
    y = model(own)
    if y.requires_grad:
        y.sum().backward()
    things = [("output", y), ("input gradient", own.grad)]
    for name, p in model.named_parameters():
        things.append((f"gradient of {name}", p.grad))
    for name, buffer in model.named_buffers():
        things.append((f"buffer {name}", buffer))
    things.append(("random state", torch.get_rng_state()))
    return [(name, None if t is None else t.detach().clone()) for name, t in things]


def _same_bits(a, b):
    """Whether two tensors, or two missing ones, are the same; all NaN are one."""
    if a is None or b is None:
        return a is b
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.layout != torch.strided or b.layout != torch.strided:
        a, b = a.to_dense(), b.to_dense()
    a, b = a.resolve_conj().reshape(-1), b.resolve_conj().reshape(-1)
    if a.is_complex():
        a, b = torch.view_as_real(a).reshape(-1), torch.view_as_real(b).reshape(-1)
    width = a.element_size()
    rows_a = a.contiguous().view(torch.uint8).reshape(-1, width)
    rows_b = b.contiguous().view(torch.uint8).reshape(-1, width)
    equal = (rows_a == rows_b).all(dim=1)
    return bool((equal | (a.isnan() & b.isnan())).all())


class _ByHand(torch.autograd.Function):
    """The old form: run without recording, run again in the backward."""

    @staticmethod
    def forward(ctx, block, x, *wanted):
        ctx.block = block
        ctx.wanted = wanted
        ctx.state = torch.get_rng_state()
        ctx.devices = [x.device] if x.is_cuda else []
        ctx.device_states = [torch.cuda.get_rng_state(d) for d in ctx.devices]
        kind = x.device.type
        ctx.cast = (kind, torch.get_autocast_dtype(kind), torch.is_autocast_enabled(kind))
        ctx.save_for_backward(x)
        with torch.no_grad():
            return block(x)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        need_x = ctx.needs_input_grad[1]
        own = x.detach().requires_grad_(need_x)
        kind, dtype, enabled = ctx.cast
        with torch.random.fork_rng(ctx.devices):
            torch.set_rng_state(ctx.state)
            for device, state in zip(ctx.devices, ctx.device_states, strict=True):
                torch.cuda.set_rng_state(state, device)
            with torch.enable_grad(), torch.autocast(kind, dtype=dtype, enabled=enabled):
                y = ctx.block(own)
        asked = [p for p, need in zip(ctx.wanted, ctx.needs_input_grad[2:], strict=True) if need]
        if need_x:
            asked.append(own)
        if not y.requires_grad:
            return (None,) * (2 + len(ctx.wanted))
        found = list(torch.autograd.grad(y, asked, grad, allow_unused=True))
        grad_x = found.pop() if need_x else None
        results = [found.pop(0) if need else None for need in ctx.needs_input_grad[2:]]
        return (None, grad_x, *results)


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
    return _Segmented(model, segments, keep_products=False)


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
    function = model if segments is None else checkpointed(model, segments)

    def first_step_of(run):
        """Run one step that leaves no trace."""
        with _Untouched(model), torch.enable_grad(), set_checkpoint_early_stop(early_stop):
            return run()

    def bytes_run():
        ledger = meter()
        ledger.track(model, x)
        with ledger:
            with ledger.phase("forward"):
                y = function(x)
            with ledger.phase("backward"):
                y.sum().backward()
        return ledger.phases["forward"], ledger.phases["backward"]

    def calls_run():
        counts = {}
        handles = []

        def count(block, _):
            counts[id(block)] += 1

        try:
            for block in model:
                if id(block) not in counts:
                    counts[id(block)] = 0
                    handles.append(block.register_forward_pre_hook(count))
            function(x).sum().backward()
        finally:
            for handle in handles:
                handle.remove()
        return [counts[id(block)] for block in model]

    def flops_run():
        with FlopCounterMode(display=False) as first:
            y = function(x)
        with FlopCounterMode(display=False) as second:
            y.sum().backward()
        return first.get_total_flops(), second.get_total_flops()

    forward, backward = first_step_of(bytes_run)
    calls = first_step_of(calls_run)
    there, back = first_step_of(flops_run)
    return {
        "live": forward.after - forward.before,
        "peak": {
            "forward": forward.peak - forward.before,
            "backward": backward.peak - forward.before,
        },
        "calls": calls,
        "flops": {
            "forward": there,
            "backward": back,
            "ratio": (there + back) / there if there else float("nan"),
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
    with torch.random.fork_rng(), torch.enable_grad():
        plain, other = make_plain(), make_other()
        if len(list(plain.parameters())) != len(list(other.parameters())):
            raise ValueError("the models do not have equally many parameters")
        if len(list(plain.buffers())) != len(list(other.buffers())):
            raise ValueError("the models do not have equally many buffers")
        expected = _one_step(plain, x, seed)
        found = _one_step(other, x, seed)
    texts = []
    for (name, right), (_, value) in zip(expected, found, strict=True):
        if not _same_bits(right, value):
            texts.append(name)
    return texts


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
    return _Segmented(model, segments, keep_products=True)


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
    wanted = [p for p in block.parameters() if p.requires_grad]
    return _ByHand.apply(block, x, *wanted)
