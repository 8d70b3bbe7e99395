"""Unit 8.3, NumPy stage: the bytes of a training step, derived before they are measured.

Sizes are in bytes [B] and are exact integers; 1 MiB is 1 048 576 B, 1 MB is 1 000 000 B. Counts and
sizes that come in may be Python's or NumPy's integers of any width: those of NumPy overflow where
Python's do not. Where something else than a count comes in (a negative number, 1.5, 2.0, NaN,
infinity, True, None, text), at whatever place, the function raises ValueError, unless its docstring
says otherwise. Only the standard library is needed. No function changes its arguments.
"""

import math
import re
from fractions import Fraction
from itertools import pairwise
from numbers import Integral

KIB, MIB = 2**10, 2**20


# region hidden
UNITS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def _count(value, what, least=0):
    """Return a count as int, after looking at it."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{what} must be a whole number from {least} on, not {value!r}")
    return int(value)


# endregion


def to_bytes(size):
    """Return a size as a whole number of bytes.

    Text is a number and a unit, with or without spaces between and around: ``"1.5 MiB"``,
    ``"12MB"``, ``" 7 B"``, ``"1e3 kB"``. The number has no sign (whether a plus, or a minus before
    zero, is refused is up to you); its exponent may have one, and either letter: ``"2.5E-1 kB"``.
    The units are ``B``, ``kB MB GB TB`` (powers of 1000) and ``KiB MiB GiB TiB`` (powers of 1024),
    written exactly so. What is no whole number of bytes is rounded to the nearest one (half a byte
    either way). Every digit counts: the 17th digit of ``"9007199254740993 B"`` is not lost, nor is
    the 40th of a longer number.

    Args:
        size: Text, or a count of bytes, which is returned as an int.

    Returns:
        Bytes [B, int].

    Raises:
        ValueError: If the text is not a number of zero or more (``"-1 B"`` is none) with one of
            these units (``KB`` and ``Mb`` are none of them, and a bare ``"12"`` has none), or the
            number is no count.
    """
    # region 8.3.a
    if not isinstance(size, str):
        return _count(size, "a size")
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\s*([A-Za-z]+)\s*", size)
    if not found or found[2] not in UNITS:
        raise ValueError(f"{size!r} is not a size such as '1.5 MiB'")
    return round(Fraction(found[1]) * UNITS[found[2]])
    # endregion


def round_size(nbytes):
    """Return the block size that CUDA's caching allocator makes of a request.

    Blocks are multiples of 512 B. A tensor without elements asks for nothing and gets nothing.

    Args:
        nbytes: What a tensor needs [B].

    Returns:
        The smallest multiple of 512 that is at least `nbytes` [B, int].
    """
    # region 8.3.b
    return -(-_count(nbytes, "a request") // 512) * 512
    # endregion


def segment_size(nbytes):
    """Return the size of the segment that the allocator asks the driver for, for one request.

    Of no use when a cached block fits. The rounded request decides (`round_size`), with the
    default settings of torch 2.13:

    - at most 1 MiB: a small segment of 2 MiB, shared by many small blocks
    - less than 10 MiB: a large segment of 20 MiB
    - else: the rounded request, rounded up to a multiple of 2 MiB

    Args:
        nbytes: What a tensor needs [B]; for 0 no segment is needed.

    Returns:
        Size of the segment [B, int].
    """
    # region 8.3.c
    block = round_size(nbytes)
    if block == 0:
        return 0
    if block <= MIB:
        return 2 * MIB
    if block < 10 * MIB:
        return 20 * MIB
    return -(-block // (2 * MIB)) * 2 * MIB
    # endregion


class CachingAllocator:
    """A model of CUDA's caching allocator: one device, one stream, default settings.

    A *segment* is memory from the driver, cut into *blocks* that lie behind one another. A request
    is rounded by `round_size`; up to 1 MiB it is *small* and is served from small segments alone,
    above from large ones alone. It gets

    1. the smallest free block of its kind that is large enough. Of equally large ones it is the one
       in the older segment, of those the one nearer to the segment's beginning;
    2. if there is none, a new segment of `segment_size`, a single free block at first;
    3. if that would make more than `capacity` reserved, all segments that are free as a whole are
       given back (as by `empty_cache`), and step 2 is tried once more;
    4. if it still does not fit, MemoryError. Segments that step 3 gave back stay given back.

    The block is split if what is left over is at least 512 B (small) or *more than* 1 MiB (large);
    the request gets the front, the rest stays free. Otherwise it gets the whole block. A freed
    block is joined with its free neighbours in the segment and kept: the driver sees nothing of it.

    A request of 0 B takes no block and changes no number; its handle can be freed like any other.
    """

    def __init__(self, capacity=None):
        """Start with nothing reserved.

        Args:
            capacity: Most that may be reserved [B]; None for no limit.
        """
        # region 8.3.d
        self._capacity = None if capacity is None else _count(capacity, "the capacity")
        self._segments = []  # oldest first
        self._handles = {}  # handle -> (segment, block), None for a request of 0 B
        self._last = 0
        self._now = {"requested": 0, "allocated": 0, "reserved": 0}
        self._peaks = {"allocated": 0, "reserved": 0}
        # endregion

    def malloc(self, nbytes):
        """Allocate and return a handle: an int that no earlier request of this allocator got.

        Args:
            nbytes: What a tensor needs [B].

        Raises:
            MemoryError: If the capacity does not allow it; no handle is given then.
            ValueError: If `nbytes` is no count; nothing changes then.
        """
        # region 8.3.d
        size = round_size(nbytes)
        self._last += 1
        self._handles[self._last] = self._place(size, int(nbytes)) if size else None
        return self._last
        # endregion

    def free(self, handle):
        """Give a block back to the allocator, which keeps it.

        Raises:
            ValueError: If the handle is unknown or was freed already; nothing changes then.
        """
        # region 8.3.d
        if handle not in self._handles:
            raise ValueError(f"{handle!r} is not a living handle")
        place = self._handles.pop(handle)
        if place is not None:
            segment, block = place
            self._book(requested=-block.requested, allocated=-block.size)
            block.requested = None
            self._join(segment, block)
        # endregion

    def empty_cache(self):
        """Return to the driver every segment that is free as a whole."""
        # region 8.3.d
        for segment in [s for s in self._segments if len(s.free) == len(s.blocks)]:
            self._segments.remove(segment)
            self._book(reserved=-sum(block.size for block in segment.free))
        # endregion

    def reset_peak(self):
        """Let the peaks begin anew, at what is allocated and reserved now."""
        # region 8.3.d
        self._peaks = {name: self._now[name] for name in self._peaks}
        # endregion

    def stats(self):
        """Return a new dict of sizes [B, int].

        - ``"requested"``: what the living handles asked for.
        - ``"allocated"``: the sizes of their blocks, a block that was not split counted whole.
        - ``"reserved"``: the sizes of all segments.
        - ``"inactive_split"``: free bytes in segments that also hold a living block; this is what
          `empty_cache` cannot return.
        - ``"largest_free"``: the largest free block, 0 if there is none.
        - ``"peak_allocated"``, ``"peak_reserved"``: the most since the beginning or the last
          `reset_peak`.
        """
        # region 8.3.d
        pinned = [s for s in self._segments if len(s.free) < len(s.blocks)]
        return {
            **self._now,
            "inactive_split": sum(block.size for s in pinned for block in s.free),
            "largest_free": max((b.size for s in self._segments for b in s.free), default=0),
            **{f"peak_{name}": peak for name, peak in self._peaks.items()},
        }
        # endregion

    # region hidden
    def _place(self, size, requested):
        """Find or make room for a block and return it with its segment."""
        small = size <= MIB
        segment, block = self._fitting(size, small) or self._grown(size, small)
        left = block.size - size
        if self._splits(left, small):
            block.size = size
            segment.blocks.insert(segment.blocks.index(block) + 1, _Block(left))
        block.requested = requested
        self._book(requested=requested, allocated=block.size)
        return segment, block

    def _fitting(self, size, small):
        """Return segment and block of the best fit, None if no free block is large enough."""
        fits = [
            (segment, block)
            for segment in self._segments
            if segment.small == small
            for block in segment.free
            if block.size >= size
        ]
        # min() keeps the first of equals: the older segment, the front of it
        return min(fits, key=lambda fit: fit[1].size) if fits else None

    def _grown(self, size, small):
        """Return a new segment and its only block."""
        new = segment_size(size)
        if not self._allows(new):
            self.empty_cache()
            if not self._allows(new):
                raise MemoryError(f"{new} B more do not fit into {self._capacity} B")
        segment = _Segment(small, [_Block(new)])
        self._segments.append(segment)
        self._book(reserved=new)
        return segment, segment.blocks[0]

    def _allows(self, new):
        """Whether the capacity allows a segment of this size."""
        return self._capacity is None or self._now["reserved"] + new <= self._capacity

    def _splits(self, left, small):
        """Whether a block of which `left` bytes would stay over is split."""
        return left >= 512 if small else left > MIB

    def _join(self, segment, block):
        """Join a free block with its free neighbours."""
        place = segment.blocks.index(block)
        for other in segment.blocks[max(place - 1, 0) : place + 2]:
            if other is not block and other.requested is None:
                block.size += other.size
                segment.blocks.remove(other)

    def _book(self, **changes):
        """Change what is counted now, and the peaks with it."""
        for name, change in changes.items():
            self._now[name] += change
        for name, peak in self._peaks.items():
            self._peaks[name] = max(peak, self._now[name])

    # endregion


# region hidden
class _Block:
    """Bytes that lie together; `requested` is None while they are free."""

    def __init__(self, size):
        self.size, self.requested = size, None


class _Segment:
    """Memory from the driver, as a list of blocks from front to back."""

    def __init__(self, small, blocks):
        self.small, self.blocks = small, blocks

    @property
    def free(self):
        return [block for block in self.blocks if block.requested is None]


PRESETS = {
    "fp32": {"weight": 4, "gradient": 4, "activation": 4, "state": 4},
    "autocast": {"weight": 4, "gradient": 4, "activation": 2, "state": 4},
    "bf16": {"weight": 2, "gradient": 2, "activation": 2, "state": 2},
    "bf16_master": {"weight": 2, "gradient": 2, "activation": 2, "state": 4, "master": 4},
}
NEEDED = ("weight", "gradient", "activation", "state", "states")
OPTIONAL = ("master", "counter")


def _policy(policy):
    """Return a policy with all its numbers."""
    if isinstance(policy, str):
        if policy not in PRESETS:
            raise ValueError(f"no policy is named {policy!r}")
        policy = {"states": 2, "counter": 4, **PRESETS[policy]}
    if set(NEEDED) - set(policy) or set(policy) - {*NEEDED, *OPTIONAL}:
        raise ValueError(f"a policy has {NEEDED} and may have {OPTIONAL}, not {sorted(policy)}")
    return {name: _count(policy.get(name, 0), name) for name in (*NEEDED, *OPTIONAL)}


def _elements(shapes):
    """Return the number of elements of each shape."""
    return [math.prod(_count(n, "a dimension") for n in shape) for shape in shapes]


# endregion


def training_bytes(parameter_shapes, activation_shapes, policy, stage=0, devices=1):
    """Return what one device holds of a mixed-precision training step, by what it is for.

    A policy is a dict of bytes per element, or the name of one:

    - ``"weight"``, ``"gradient"``, ``"activation"``: bytes of an element of each
    - ``"state"`` and ``"states"``: bytes of an element of an optimizer state, and how many states
      a weight has (AdamW 2, momentum 1, plain SGD 0)
    - ``"master"``: bytes of an element of the master copy of the weights; 0 (no copy) if left out
    - ``"counter"``: bytes of the step counter that each parameter *tensor* has; 0 if left out

    ===============  ======  ========  ==========  =====  ======  ======  =======
    name             weight  gradient  activation  state  states  master  counter
    ===============  ======  ========  ==========  =====  ======  ======  =======
    ``fp32``         4       4         4           4      2       0       4
    ``autocast``     4       4         2           4      2       0       4
    ``bf16``         2       2         2           2      2       0       4
    ``bf16_master``  2       2         2           4      2       4       4
    ===============  ======  ========  ==========  =====  ======  ======  =======

    ``fp32``, ``autocast`` and ``bf16`` are what torch's AdamW does: its states take the dtype of
    the parameter, so that a pure bf16 model has half the optimizer state of the textbook.

    With several `devices` ZeRO splits what they would all hold alike: from stage 1 on the optimizer
    states and the master copy, from stage 2 on the gradients, from stage 3 on the weights. Each of
    these is split by elements, over all parameters laid end to end; the largest share counts.
    Counters and activations are not split.

    Args:
        parameter_shapes: List of shapes; ``()`` is a scalar, one element.
        activation_shapes: List of shapes of what the forward keeps on this device.
        policy: A dict or a name.
        stage: 0 (nothing split), 1, 2 or 3.
        devices: How many devices share the model.

    Returns:
        A dict [B, int] with ``"parameters"`` (weights and master copy), ``"gradients"``,
        ``"optimizer"`` (states and counters), ``"activations"`` and ``"total"``.

    Raises:
        ValueError: Also for a name that is not in the table, a policy with a missing or an unknown
            key, a stage above 3 and for less than one device.
    """
    # region 8.3.e
    each = _policy(policy)
    sizes = _elements(parameter_shapes)
    if _count(stage, "the stage") > 3:
        raise ValueError(f"there is no stage {stage}")
    shared = -(-sum(sizes) // _count(devices, "the number of devices", least=1))
    weights, gradients, states = (shared if stage >= first else sum(sizes) for first in (3, 2, 1))
    result = {
        "parameters": weights * each["weight"] + states * each["master"],
        "gradients": gradients * each["gradient"],
        "optimizer": states * each["state"] * each["states"] + len(sizes) * each["counter"],
        "activations": sum(_elements(activation_shapes)) * each["activation"],
    }
    return {**result, "total": sum(result.values())}
    # endregion


def activation_bytes(layers, batch, width, itemsize=4):
    """Return what autograd keeps between the forward and the backward of a chain of layers.

    The chain starts with data of shape ``[batch, width]`` that needs no gradient. A layer is
    ``("linear", n)`` with weight and bias, or one of the names below; lists are as good as tuples,
    and a name alone is as good as ``(name,)``. Every weight needs its gradient. A layer keeps

    - ``linear``: its input
    - ``relu``, ``tanh``: its output
    - ``gelu``: its input
    - ``layernorm``: its input, and a mean and a reciprocal deviation for each example
    - ``dropout``: a mask of the shape and dtype of its input, as a CPU does it
    - ``cross_entropy`` (only as the last layer): the log-probabilities, of the shape of its input,
      and one element for the total weight of the labels

    A tensor that two layers keep is there once. The data, the weights and the labels are there
    anyway and do not count. Layers in front of the first linear or layernorm keep nothing, since
    nothing there needs a gradient; what they hand to it is no longer the data, and it keeps that.

    Args:
        layers: List of layers; an empty one keeps nothing.
        batch: Examples; may be 0.
        width: Of the data, at least 1, as are the widths of all linear layers.
        itemsize: Bytes of an element: 2, 4 or 8, the same everywhere.

    Returns:
        Bytes [B, int].

    Raises:
        ValueError: Also for an unknown layer, for ``cross_entropy`` before the end, and for another
            itemsize.
    """
    # region 8.3.f
    rows = _count(batch, "the batch")
    columns = _count(width, "the width", least=1)
    itemsize = _count(itemsize, "the itemsize")
    if itemsize not in (2, 4, 8):
        raise ValueError(f"no dtype here has {itemsize} B")
    layers = [(layer,) if isinstance(layer, str) else tuple(layer) for layer in layers]
    elements = 0
    # whether the tensor between two layers counts already; the data never does
    counted, needs_grad = True, False
    for number, (kind, *sizes) in enumerate(layers):
        if len(sizes) != (kind == "linear") or kind not in KINDS:
            raise ValueError(f"layer {number} cannot be {(kind, *sizes)}")
        if kind == "cross_entropy" and number < len(layers) - 1:
            raise ValueError("cross_entropy is not the last layer")
        needs_grad = needs_grad or kind in ("linear", "layernorm")
        if needs_grad and kind in ("linear", "gelu", "layernorm") and not counted:
            elements += rows * columns
        if kind == "linear":
            columns = _count(sizes[0], "a width", least=1)
        counted = needs_grad and kind in ("relu", "tanh")
        if needs_grad:
            elements += _made(kind, rows, columns)
    return elements * itemsize
    # endregion


# region hidden
KINDS = ("linear", "relu", "tanh", "gelu", "layernorm", "dropout", "cross_entropy")


def _made(kind, rows, columns):
    """Return the elements of what a layer keeps besides its input: an output, a mask, numbers."""
    if kind in ("relu", "tanh", "dropout"):
        return rows * columns
    return {"layernorm": 2 * rows, "cross_entropy": rows * columns + 1}.get(kind, 0)


# endregion


def transformer_activation_bytes(
    s, b, h, a, *, tensor_parallel=1, sequence_parallel=False, recompute="none"
):
    """Return the activations of one transformer layer in 16-bit training, in named parts.

    The layer is that of Korthikanti et al., arXiv:2205.05198: elements have 2 B, dropout masks 1 B,
    the mlp is four times as wide, attention is written out (scores, softmax, dropout). It keeps

    - ``"norms"``: the inputs of two LayerNorms
    - ``"attention"``: the shared input of the three projections, queries, keys, values, the input
      of the output projection, and the mask of the dropout behind it
    - ``"scores"``: softmax output, dropout output and dropout mask of `a` heads
    - ``"mlp"``: the inputs of both linears and of the GELU, and the mask of the dropout behind it

    With tensor parallelism each of `t` devices holds a t-th of the queries, keys, values, scores,
    the output projection's input, the GELU's input and the second linear's input. Everything else
    is on every device, unless sequence parallelism splits it by `t` as well.

    Recomputation: ``"none"``; ``"selective"`` drops the scores; ``"full"`` keeps the layer's input
    alone, on every device as a whole, as ``"input"``, and 0 for all other parts.

    Args:
        s: Tokens of a sequence.
        b: Sequences a device.
        h: Width.
        a: Heads.
        tensor_parallel: `t`; h and a are to be multiples of it.
        sequence_parallel: Whether the rest is split along the sequence; s is to be a multiple of t
            then.
        recompute: ``"none"``, ``"selective"`` or ``"full"``.

    Returns:
        A dict with ``"norms"``, ``"attention"``, ``"scores"``, ``"mlp"``, ``"input"`` (0 unless
        recompute is full) and their sum ``"total"`` [B a device, int].

    Raises:
        ValueError: Also if one of those is no multiple of t, whatever `recompute` is, and for
            another recompute. All of s, b, h, a and t are at least 1.
    """
    # region 8.3.g
    s, b, h, a, t = (_count(n, "a size", least=1) for n in (s, b, h, a, tensor_parallel))
    if h % t or a % t or (sequence_parallel and s % t):
        raise ValueError(f"s={s}, h={h} and a={a} cannot be split by {t}")
    if recompute not in ("none", "selective", "full"):
        raise ValueError(f"no recomputation is called {recompute!r}")
    names = ("norms", "attention", "scores", "mlp", "input")
    parts = dict.fromkeys(names, 0)
    whole, share = s * b * h, s * b * h // t
    if recompute == "full":
        parts["input"] = 2 * whole
    else:
        rest = share if sequence_parallel else whole
        parts["norms"] = 4 * rest
        parts["attention"] = (2 + 1) * rest + (4 + 2 + 2) * share
        parts["mlp"] = (2 + 1) * rest + (8 + 8) * share
        if recompute == "none":
            parts["scores"] = (2 + 2 + 1) * (a // t) * s * s * b
    return {**parts, "total": sum(parts.values())}
    # endregion


def predict_phases(widths, batch, optimizer="adamw", foreach=False, set_to_none=True):
    """Return the live tensor bytes of each phase of an mlp step, byte for byte, without running it.

    The model is ``Linear, ReLU, Linear, ..., Linear`` with biases, all in float32; the batch is
    data ``[batch, widths[0]]`` in float32 and labels ``[batch]`` in int64. The step is a later
    one, so that optimizer states exist, and is exactly this::

        loss = F.cross_entropy(model(x), y)                            # forward
        loss.backward(); del loss                                      # backward
        optimizer.step(); optimizer.zero_grad(set_to_none=set_to_none) # optimizer

    What is alive is counted whenever an operator has returned, with its arguments and results:

    - A linear makes its output, a ReLU its output while the linear's is still there. Then the
      linear's output is dropped: the ReLU keeps its own. The last linear's output lives until the
      loss is done, beside the log-probabilities, the loss and the total weight of the labels (4 B
      each).
    - Backward starts with 4 B for the gradient of the loss, which live to its end; so does the loss
      itself. The loss function makes two gradients of the logits' size, the second from the
      first: at that moment both, and the log-probabilities, are there. The total weight is gone
      when the first is made, the first and the log-probabilities when the second is made.
    - A linear's backward makes the gradients of its input (not for the first layer), of its weight
      and of its bias, in this order; then the gradient of its output goes. After that the ReLU
      below makes a gradient of its own; then the one it came from and the ReLU's output go.
    - Gradients that were kept (``set_to_none=False``) are there all the time, and new ones, which
      are added to them, go together with the gradient of the linear's output.
    - The optimizer: ``"sgd"`` has no state, ``"momentum"`` one state, ``"adamw"`` two and a 4 B
      counter for each parameter tensor. Only AdamW needs room while it works. With
      ``foreach=True``: one copy of all parameters. Else it goes from tensor to tensor in the order
      of the model (weight, bias, weight, ...) and makes two temporaries of the size of each, while
      the last temporary of the tensor before is still there.

    Args:
        widths: ``[n_0, ..., n_L]``, at least two of them, each at least 1.
        batch: Examples, at least 1.
        optimizer: ``"sgd"``, ``"momentum"`` or ``"adamw"``.
        foreach: As of `torch.optim`.
        set_to_none: As of `zero_grad`.

    Returns:
        A dict [B, int] with

        - ``"parameters"``, ``"gradients"``, ``"optimizer"``, ``"batch"``: what each of these needs
          (gradients also when they are there for a part of the step only).
        - ``"forward"``, ``"backward"``, ``"update"``: dicts ``{"before", "peak", "after"}``, all
          live bytes, parameters and the rest included. ``"update"`` is the optimizer phase.
        - ``"peak_phase"``: ``"forward"``, ``"backward"`` or ``"update"``, whichever has the largest
          peak, of equal ones the first. (The sheet and 8.3.p call the third one ``"optimizer"``,
          which in this dict is the size of the states; it is taken for ``"update"`` here.)

    Raises:
        ValueError: Also for another optimizer, too few widths or a batch without examples.
    """
    # region 8.3.h
    widths, rows = _mlp(widths, batch)
    if optimizer not in STATES:
        raise ValueError(f"no optimizer is called {optimizer!r}")
    tensors = [4 * n for k, m in pairwise(widths) for n in (k * m, m)]
    params = sum(tensors)
    states = STATES[optimizer] * params + (4 * len(tensors) if optimizer == "adamw" else 0)
    data = rows * (4 * widths[0] + 8)
    resident = params + states + data + (0 if set_to_none else params)
    outs = [4 * rows * n for n in widths[1:]]
    forward = _forward(resident, outs)
    backward = _backward(forward["after"], outs, widths, set_to_none)
    room = _room(tensors, foreach) if optimizer == "adamw" else 0
    before = backward["after"]
    update = {"before": before, "peak": before + room, "after": resident}
    phases = {"forward": forward, "backward": backward, "update": update}
    return {
        "parameters": params,
        "gradients": params,
        "optimizer": states,
        "batch": data,
        **phases,
        "peak_phase": max(phases, key=lambda name: phases[name]["peak"]),
    }
    # endregion


# region hidden
STATES = {"sgd": 0, "momentum": 1, "adamw": 2}


def _mlp(widths, batch):
    """Return widths and batch of an mlp as ints, after looking at them."""
    widths = [_count(n, "a width", least=1) for n in widths]
    if len(widths) < 2:
        raise ValueError(f"{widths} is no mlp")
    return widths, _count(batch, "the batch", least=1)


def _forward(live, outs):
    """Return live bytes of the forward; `outs` are the sizes of the linears' outputs."""
    before = peak = live
    for out in outs[:-1]:
        peak = max(peak, live + 2 * out)
        live += out
    peak = max(peak, live + 2 * outs[-1] + 8)
    return {"before": before, "peak": peak, "after": live + outs[-1] + 8}


def _backward(live, outs, widths, set_to_none):
    """Return live bytes of the backward, which walks from the loss to the first layer."""
    before = live
    live += 4
    peak = live + outs[-1]
    live -= 4  # the total weight
    peak = max(peak, live + 2 * outs[-1])
    # one gradient stays where the log-probabilities were
    for i in range(len(outs) - 1, -1, -1):
        below = outs[i - 1] if i else 0
        made = 4 * widths[i] * widths[i + 1] + 4 * widths[i + 1]
        peak = max(peak, live + below + made)
        live += below - outs[i] + (made if set_to_none else 0)
        if i:
            peak = max(peak, live + below)
            live -= below
    return {"before": before, "peak": peak, "after": live - 8}


def _room(tensors, foreach):
    """Return what AdamW needs while it works."""
    if foreach:
        return sum(tensors)
    return max(last + 2 * size for last, size in pairwise([0, *tensors]))


# endregion


def inference_peak(widths, batch):
    """Return the live tensor bytes of an mlp's forward in inference mode, above what was alive.

    The model and its data are those of `predict_phases`; what is run is ``outputs = model(x)``
    alone, without a loss, under ``torch.inference_mode()`` or ``torch.no_grad()``. Nothing is kept
    for a backward: the output of a layer goes as soon as the next layer has made its own. A linear
    makes its output beside its input, a ReLU beside the linear's output. The data stay, and do not
    count.

    Args:
        widths: ``[n_0, ..., n_L]``, at least two of them, each at least 1.
        batch: Examples, at least 1.

    Returns:
        A dict [B, int] with ``"peak"`` and ``"after"``, both above what was alive before.

    Raises:
        ValueError: Also for too few widths.
    """
    # region 8.3.i
    widths, rows = _mlp(widths, batch)
    outs = [4 * rows * n for n in widths[1:]]
    relus = [2 * out for out in outs[:-1]]
    linears = [above + below for above, below in pairwise([0, *outs])]
    return {"peak": max(relus + linears), "after": outs[-1]}
    # endregion


def explain_gap(predicted, measured, live):
    """Return what the gap between a prediction and a measurement is made of.

    Both sides are in named items: what was predicted for each, and what was measured for each by
    looking at it (parameters, gradients, ...). `live` is what the meter says in all. An item that
    one side lacks counts 0 there. Sizes are anything that `to_bytes` takes, but an int may be
    negative.

    Args:
        predicted: ``{item: size}``.
        measured: ``{item: size}``.
        live: Size of everything, measured as a whole.

    Returns:
        A dict [B, int] with

        - ``"gap"``: `live` less everything that was predicted.
        - ``"terms"``: ``{item: measured less predicted}``, items without a difference left out, the
          largest by absolute size first, of equal ones in the order of `predicted`, then of
          `measured`.
        - ``"unexplained"``: `live` less everything in `measured`. The terms and this add up to the
          gap, always.

    Raises:
        ValueError: If a size cannot be read.
    """
    # region 8.3.j
    predicted, measured = (
        {item: _size(size) for item, size in side.items()} for side in (predicted, measured)
    )
    live = _size(live)
    items = dict.fromkeys([*predicted, *measured])
    terms = {item: measured.get(item, 0) - predicted.get(item, 0) for item in items}
    ranked = sorted((item for item in terms if terms[item]), key=lambda item: -abs(terms[item]))
    return {
        "gap": live - sum(predicted.values()),
        "terms": {item: terms[item] for item in ranked},
        "unexplained": live - sum(measured.values()),
    }
    # endregion


# region hidden
def _size(size):
    """Return a size, which may be negative if it is an int."""
    negative = isinstance(size, Integral) and size < 0
    return int(size) if negative else to_bytes(size)


# endregion
