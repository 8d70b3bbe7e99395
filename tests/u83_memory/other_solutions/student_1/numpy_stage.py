"""Unit 8.3, NumPy stage: the bytes of a training step, derived before they are measured.

Sizes are in bytes [B] and are exact integers; 1 MiB is 1 048 576 B, 1 MB is 1 000 000 B. Counts and
sizes that come in may be Python's or NumPy's integers. Where something else than a count comes in
(a negative number, 1.5, 2.0, NaN, True, text), the function raises ValueError, unless its
docstring says otherwise. Only the standard library is needed. No function changes its arguments.
"""

import math
import re
from fractions import Fraction
from itertools import pairwise
from numbers import Integral

KIB, MIB = 2**10, 2**20


from bisect import bisect_left, insort
from itertools import accumulate, chain

_UNITS = {p + s + "B": base**k for base, s, ps in ((1000, "", "kMGT"), (1024, "i", "KMGT"))
          for k, p in enumerate(ps, 1)} | {"B": 1}
_SIZE = re.compile(r"\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\w+)\s*", re.ASCII)
_POLICIES = {
    name: dict(zip(("weight", "gradient", "activation", "state", "states", "master", "counter"), row))
    for name, row in {"fp32": (4, 4, 4, 4, 2, 0, 4), "autocast": (4, 4, 2, 4, 2, 0, 4),
                      "bf16": (2, 2, 2, 2, 2, 0, 4), "bf16_master": (2, 2, 2, 4, 2, 4, 4)}.items()
}


def _count(value, low=0, what="a count"):
    if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
        raise ValueError(f"{what} must be an integer of at least {low}, not {value!r}")
    return int(value)


def _counts(values, low=0, what="a list of counts", least=0):
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise ValueError(f"{what} expected, not {values!r}")
    found = [_count(v, low) for v in values]
    if len(found) < least:
        raise ValueError(f"at least {least} of {what}, not {len(found)}")
    return found


def _up(value, step):
    return -(-value // step) * step


def to_bytes(size):
    """Return a size as a whole number of bytes.

    Text is a number and a unit, with or without spaces between: ``"1.5 MiB"``, ``"12MB"``,
    ``"7 B"``, ``"1e3 kB"``. The units are ``B``, ``kB MB GB TB`` (powers of 1000) and
    ``KiB MiB GiB TiB`` (powers of 1024), written exactly so. What is no whole number of bytes is
    rounded to the nearest one (half a byte either way). Every digit counts: the 17th digit of
    ``"9007199254740993 B"`` is not lost.

    Args:
        size: Text, or a count of bytes, which is returned as an int.

    Returns:
        Bytes [B, int].

    Raises:
        ValueError: If the text is not a number of zero or more with one of these units (``KB`` and
            ``Mb`` are none of them, and a bare ``"12"`` has none), or the number is no count.
    """
    if not isinstance(size, str):
        return _count(size)
    match = _SIZE.fullmatch(size)
    if not match or match[2] not in _UNITS:
        raise ValueError(f"no size with a unit: {size!r}")
    return round(Fraction(match[1]) * _UNITS[match[2]])


def round_size(nbytes):
    """Return the block size that CUDA's caching allocator makes of a request.

    Blocks are multiples of 512 B. A tensor without elements asks for nothing and gets nothing.

    Args:
        nbytes: What a tensor needs [B].

    Returns:
        The smallest multiple of 512 that is at least `nbytes` [B, int].
    """
    return _up(_count(nbytes), 512)


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
    size = round_size(nbytes)
    if not size:
        return 0
    return 2 * MIB if size <= MIB else 20 * MIB if size < 10 * MIB else _up(size, 2 * MIB)


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
        # Boundary tags: free blocks by their beginning and by their end, and sorted for best fit.
        self._capacity = None if capacity is None else _count(capacity)
        self._segments = {}  # id: (small, size), older first
        self._used = {}  # handle: (requested, segment, offset, size) or None for 0 B
        self._free = {True: [], False: []}  # small: sorted [(size, segment, offset)]
        self._starts, self._ends = {}, {}  # (segment, offset): size of the free block
        self._handles = self._ids = 0
        self._now = dict.fromkeys(("requested", "allocated", "reserved"), 0)
        self.reset_peak()

    def malloc(self, nbytes):
        """Allocate and return a handle: an int that no earlier request of this allocator got.

        Args:
            nbytes: What a tensor needs [B].

        Raises:
            MemoryError: If the capacity does not allow it; no handle is given then.
            ValueError: If `nbytes` is no count; nothing changes then.
        """
        nbytes = _count(nbytes)
        need, small = round_size(nbytes), round_size(nbytes) <= MIB
        block = (0, None, 0)
        if need:
            pool = self._free[small]
            at = bisect_left(pool, (need,))
            if at == len(pool):
                self._grow(small, segment_size(nbytes))
                at = bisect_left(pool, (need,))
            size, segment, offset = pool[at]
            self._drop(small, segment, offset, size)
            rest = size - need
            if rest >= 512 if small else rest > MIB:
                self._put(small, segment, offset + need, rest)
                size = need
            block = (size, segment, offset)
        self._handles += 1
        self._used[self._handles] = (nbytes, *block)
        self._add(requested=nbytes, allocated=block[0])
        return self._handles

    def free(self, handle):
        """Give a block back to the allocator, which keeps it.

        Raises:
            ValueError: If the handle is unknown or was freed already; nothing changes then.
        """
        if isinstance(handle, bool) or not isinstance(handle, Integral) or handle not in self._used:
            raise ValueError(f"no living handle: {handle!r}")
        nbytes, size, segment, offset = self._used.pop(handle)
        self._add(requested=-nbytes, allocated=-size)
        if not size:
            return
        small = self._segments[segment][0]
        for side, key in ((self._ends, (segment, offset)), (self._starts, (segment, offset + size))):
            other = side.get(key)
            if other:
                start = key[1] - other if side is self._ends else key[1]
                self._drop(small, segment, start, other)
                offset, size = min(offset, start), size + other
        self._put(small, segment, offset, size)

    def empty_cache(self):
        """Return to the driver every segment that is free as a whole."""
        for segment, (small, size) in list(self._segments.items()):
            if self._starts.get((segment, 0)) == size:
                self._drop(small, segment, 0, size)
                del self._segments[segment]
                self._add(reserved=-size)

    def reset_peak(self):
        """Let the peaks begin anew, at what is allocated and reserved now."""
        self._peak = {f"peak_{name}": self._now[name] for name in ("allocated", "reserved")}

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
        free = [(size, segment) for pool in self._free.values() for size, segment, _ in pool]
        return self._now | self._peak | {
            "inactive_split": sum(n for n, segment in free if n != self._segments[segment][1]),
            "largest_free": max(free, default=(0, 0))[0],
        }

    def _add(self, **changes):
        for name, change in changes.items():
            self._now[name] += change
        for name in ("allocated", "reserved"):
            self._peak[f"peak_{name}"] = max(self._peak[f"peak_{name}"], self._now[name])

    def _put(self, small, segment, offset, size):
        insort(self._free[small], (size, segment, offset))
        self._starts[segment, offset] = self._ends[segment, offset + size] = size

    def _drop(self, small, segment, offset, size):
        pool = self._free[small]
        del pool[bisect_left(pool, (size, segment, offset))]
        del self._starts[segment, offset], self._ends[segment, offset + size]

    def _grow(self, small, size):
        if self._capacity is not None:
            if self._now["reserved"] + size > self._capacity:
                self.empty_cache()
            if self._now["reserved"] + size > self._capacity:
                raise MemoryError(f"{size} B more than the capacity allows")
        self._ids += 1
        self._segments[self._ids] = (small, size)
        self._put(small, self._ids, 0, size)
        self._add(reserved=size)


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
    if isinstance(policy, str):
        if policy not in _POLICIES:
            raise ValueError(f"unknown policy: {policy!r}")
        policy = _POLICIES[policy]
    keys = set(_POLICIES["fp32"])
    if not isinstance(policy, dict) or not keys - {"master", "counter"} <= policy.keys() <= keys:
        raise ValueError(f"a policy has the keys {sorted(keys)}")
    per = {"master": 0, "counter": 0} | {key: _count(value, what=key) for key, value in policy.items()}
    stage, devices = _count(stage, what="stage"), _count(devices, 1, "devices")
    if stage > 3:
        raise ValueError("there is no stage above 3")
    shapes, kept = ([math.prod(_counts(shape, what="a shape")) for shape in shapes]
                    for shapes in (parameter_shapes, activation_shapes))
    whole = sum(shapes)
    first, second, third = (-(-whole // devices) if stage >= k else whole for k in (1, 2, 3))
    out = {
        "parameters": third * per["weight"] + first * per["master"],
        "gradients": second * per["gradient"],
        "optimizer": first * per["state"] * per["states"] + len(shapes) * per["counter"],
        "activations": sum(kept) * per["activation"],
    }
    return out | {"total": sum(out.values())}


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
    batch, width, itemsize = _count(batch), _count(width, 1), _count(itemsize)
    if itemsize not in (2, 4, 8):
        raise ValueError("itemsize is 2, 4 or 8")
    layers = [(layer,) if isinstance(layer, str) else tuple(layer) for layer in layers]
    kept, extra, graph = {}, 0, False  # kept: {index of the tensor: elements}; 0 is the data
    for index, (name, *rest) in enumerate(layers):
        if name not in ("linear", "relu", "tanh", "gelu", "layernorm", "dropout", "cross_entropy") or len(
            rest
        ) != (name == "linear"):
            raise ValueError(f"unknown layer: {layers[index]!r}")
        if name == "cross_entropy" and index + 1 < len(layers):
            raise ValueError("cross_entropy is the last layer")
        size = batch * width
        graph |= name in ("linear", "layernorm")
        if graph:
            if name in ("linear", "gelu", "layernorm"):
                kept[index] = size
            if name in ("relu", "tanh"):
                kept[index + 1] = size
            extra += {"layernorm": 2 * batch, "dropout": size, "cross_entropy": size + 1}.get(name, 0)
        width = _count(rest[0], 1, "a width") if rest else width
    return itemsize * (extra + sum(kept.values()) - kept.get(0, 0))


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
        tensor_parallel: `t`; h and a are multiples of it.
        sequence_parallel: Whether the rest is split along the sequence; s is a multiple of t then.
        recompute: ``"none"``, ``"selective"`` or ``"full"``.

    Returns:
        A dict with ``"norms"``, ``"attention"``, ``"scores"``, ``"mlp"``, ``"input"`` (0 unless
        recompute is full) and their sum ``"total"`` [B a device, int].

    Raises:
        ValueError: Also if something is to be split that is no multiple of t, and for another
            recompute. All of s, b, h, a and t are at least 1.
    """
    s, b, h, a, t = (_count(n, 1) for n in (s, b, h, a, tensor_parallel))
    if recompute not in ("none", "selective", "full"):
        raise ValueError(f"unknown recompute: {recompute!r}")
    if h % t or a % t or (sequence_parallel and s % t):
        raise ValueError("what is split must be a multiple of tensor_parallel")
    unit, rest = s * b * h, t if sequence_parallel else 1
    out = {
        "norms": 4 * unit // rest,
        "attention": 3 * unit // rest + 8 * unit // t,
        "scores": 5 * a * b * s * s // t * (recompute == "none"),
        "mlp": 3 * unit // rest + 16 * unit // t,
        "input": 0,
    }
    if recompute == "full":
        out = dict.fromkeys(out, 0) | {"input": 2 * unit}
    return out | {"total": sum(out.values())}


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
        - ``"peak_phase"``: the name of the phase with the largest peak.

    Raises:
        ValueError: Also for another optimizer, too few widths or a batch without examples.
    """
    widths, batch = _counts(widths, 1, "widths", 2), _count(batch, 1, "batch")
    if optimizer not in ("sgd", "momentum", "adamw"):
        raise ValueError(f"unknown optimizer: {optimizer!r}")
    tensors = [4 * n for wide_in, wide_out in pairwise(widths) for n in (wide_in * wide_out, wide_out)]
    out = [4 * batch * n for n in widths]  # of each layer; out[0] is the data
    total, last = sum(tensors), out[-1]
    state = {"sgd": 0, "momentum": total, "adamw": 2 * total + 4 * len(tensors)}[optimizer]
    data = out[0] + 8 * batch

    # Each phase is a list of changes; its peak is the largest partial sum.
    forward = [d for n in out[1:-1] for d in (n, n, -n)] + [last, last, 8, -last]
    backward = [4, last, -4, last, -2 * last]
    for k in range(len(out) - 1, 0, -1):
        new = sum(tensors[2 * k - 2 : 2 * k])
        below = out[k - 1] if k > 1 else 0
        backward += [below, new, -out[k] - (0 if set_to_none else new), below, -2 * below]
    backward.append(-8)
    update = []
    if optimizer == "adamw":
        update = [total, -total] if foreach else list(
            chain.from_iterable((2 * n, -n - old) for old, n in pairwise([0, *tensors]))
        ) + [-tensors[-1]]
    update.append(-total if set_to_none else 0)

    result = {"parameters": total, "gradients": total, "optimizer": state, "batch": data}
    level = total + state + data + (0 if set_to_none else total)
    for name, changes in (("forward", forward), ("backward", backward), ("update", update)):
        levels = list(accumulate(changes, initial=level))
        result[name] = {"before": level, "peak": max(levels), "after": levels[-1]}
        level = levels[-1]
    peak = max(("forward", "backward", "update"), key=lambda name: result[name]["peak"])
    return result | {"peak_phase": peak}


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
    widths, batch = _counts(widths, 1, "widths", 2), _count(batch, 1, "batch")
    out = [0] + [4 * batch * n for n in widths[1:]]
    return {"peak": max(map(sum, chain(pairwise(out), zip(out[:-1], out[:-1])))), "after": out[-1]}


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
    predicted, measured = (
        {k: to_bytes(v) if isinstance(v, str) else _count(v, -math.inf) for k, v in side.items()}
        for side in (predicted, measured)
    )
    live = to_bytes(live) if isinstance(live, str) else _count(live, -math.inf)
    change = {k: measured.get(k, 0) - predicted.get(k, 0) for k in predicted | measured}
    return {
        "gap": live - sum(predicted.values()),
        "terms": dict(sorted(((k, d) for k, d in change.items() if d), key=lambda kd: -abs(kd[1]))),
        "unexplained": live - sum(measured.values()),
    }
