"""Unit 8.3, NumPy stage: the bytes of a training step, derived before they are measured.

Sizes are in bytes [B] and are exact integers; 1 MiB is 1 048 576 B, 1 MB is 1 000 000 B. Counts and
sizes that come in may be Python's or NumPy's integers. Where something else than a count comes in
(a negative number, 1.5, 2.0, NaN, True, text), the function raises ValueError, unless its
docstring says otherwise. Only the standard library is needed. No function changes its arguments.
"""

import math
import re
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from numbers import Integral

KIB, MIB = 2**10, 2**20

UNITS = {"B": 1}
for _power, _letter in enumerate("kMGT", start=1):
    UNITS[_letter + "B"] = 1000**_power
for _power, _letter in enumerate("KMGT", start=1):
    UNITS[_letter + "iB"] = 1024**_power
SIZE = re.compile(r" *([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))? *([a-zA-Z]+) *")
POLICY_KEYS = ("weight", "gradient", "activation", "state", "states")
POLICIES = {
    "fp32": dict(weight=4, gradient=4, activation=4, state=4, states=2, master=0, counter=4),
    "autocast": dict(weight=4, gradient=4, activation=2, state=4, states=2, master=0, counter=4),
    "bf16": dict(weight=2, gradient=2, activation=2, state=2, states=2, master=0, counter=4),
    "bf16_master": dict(weight=2, gradient=2, activation=2, state=4, states=2, master=4, counter=4),
}


def _count(value, least=0):
    """Return a count as an int, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ValueError(f"not a count: {value!r}")
    if value < least:
        raise ValueError(f"{value} is less than {least}")
    return int(value)


def _sequence(things):
    if isinstance(things, (str, bytes)):
        raise ValueError(f"a list is asked for, not {things!r}")
    try:
        return list(things)
    except TypeError:
        raise ValueError(f"a list is asked for, not {things!r}") from None


def _elements(shape):
    total = 1
    for length in _sequence(shape):
        total *= _count(length)
    return total


@dataclass
class Block:
    """A piece of a segment; free if no handle has it."""

    size: int
    handle: int | None = None


@dataclass
class Segment:
    """Memory from the driver, its blocks in order."""

    size: int
    small: bool
    blocks: list = field(default_factory=list)

    def idle(self):
        return all(block.handle is None for block in self.blocks)


class Ledger:
    """What is alive by name, and the most there was."""

    def __init__(self, base):
        self.base = self.peak = base
        self.alive = {}

    def total(self):
        return self.base + sum(self.alive.values())

    def make(self, name, nbytes):
        if name in self.alive:
            raise RuntimeError(f"{name} is alive already")
        self.alive[name] = nbytes
        self.peak = max(self.peak, self.total())

    def drop(self, *names):
        for name in names:
            del self.alive[name]


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
    found = SIZE.fullmatch(size)
    if found is None or found.group(4) not in UNITS:
        raise ValueError(f"not a size: {size!r}")
    sign, digits, power, unit = found.groups()
    number = Fraction(digits)
    if sign == "-" and number != 0:
        raise ValueError(f"a size is not negative: {size!r}")
    if number == 0:
        return 0
    power = int(power or "0")
    if power < -len(digits) - 20:
        return 0
    if power > 5000:
        raise ValueError(f"no size is that large: {size!r}")
    return math.floor(number * Fraction(10) ** power * UNITS[unit] + Fraction(1, 2))


def round_size(nbytes):
    """Return the block size that CUDA's caching allocator makes of a request.

    Blocks are multiples of 512 B. A tensor without elements asks for nothing and gets nothing.

    Args:
        nbytes: What a tensor needs [B].

    Returns:
        The smallest multiple of 512 that is at least `nbytes` [B, int].
    """
    whole, rest = divmod(_count(nbytes), 512)
    return 512 * (whole + (1 if rest else 0))


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
    rounded = round_size(nbytes)
    if rounded == 0:
        return 0
    if rounded <= MIB:
        return 2 * MIB
    if rounded < 10 * MIB:
        return 20 * MIB
    return math.ceil(Fraction(rounded, 2 * MIB)) * 2 * MIB


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
        self.capacity = None if capacity is None else _count(capacity)
        self._segments = []  # in the order of their age
        self._requests = {}  # living handle: bytes asked for
        self._next = 1
        self._allocated = self._reserved = 0
        self._peak_allocated = self._peak_reserved = 0

    def malloc(self, nbytes):
        """Allocate and return a handle: an int that no earlier request of this allocator got.

        Args:
            nbytes: What a tensor needs [B].

        Raises:
            MemoryError: If the capacity does not allow it; no handle is given then.
            ValueError: If `nbytes` is no count; nothing changes then.
        """
        nbytes = _count(nbytes)
        handle = self._next
        if nbytes == 0:
            self._requests[handle] = 0
            self._next += 1
            return handle
        need = round_size(nbytes)
        small = need <= MIB
        place = self._best(need, small)
        if place is None:
            place = self._grow(segment_size(nbytes), small)
        segment, index = place
        block = segment.blocks[index]
        left = block.size - need
        if (small and left >= 512) or (not small and left > MIB):
            block.size = need
            segment.blocks.insert(index + 1, Block(left))
        block.handle = handle
        self._requests[handle] = nbytes
        self._next += 1
        self._allocated += block.size
        self._peak_allocated = max(self._peak_allocated, self._allocated)
        return handle

    def _best(self, need, small):
        best = None
        best_size = math.inf
        for segment in self._segments:
            if segment.small != small:
                continue
            for index, block in enumerate(segment.blocks):
                if block.handle is None and need <= block.size < best_size:
                    best, best_size = (segment, index), block.size
        return best

    def _grow(self, size, small):
        if self.capacity is not None and self._reserved + size > self.capacity:
            self.empty_cache()
            if self._reserved + size > self.capacity:
                raise MemoryError(f"{size} B more than {self._reserved} B do not fit")
        segment = Segment(size, small, [Block(size)])
        self._segments.append(segment)
        self._reserved += size
        self._peak_reserved = max(self._peak_reserved, self._reserved)
        return segment, 0

    def free(self, handle):
        """Give a block back to the allocator, which keeps it.

        Raises:
            ValueError: If the handle is unknown or was freed already; nothing changes then.
        """
        if isinstance(handle, bool) or not isinstance(handle, Integral):
            raise ValueError(f"no handle: {handle!r}")
        if handle not in self._requests:
            raise ValueError(f"handle {handle} is unknown or was freed")
        if self._requests.pop(handle) == 0:
            return
        for segment in self._segments:
            for block in segment.blocks:
                if block.handle == handle:
                    block.handle = None
                    self._allocated -= block.size
                    self._join(segment)
                    return

    @staticmethod
    def _join(segment):
        joined = []
        for block in segment.blocks:
            if joined and block.handle is None and joined[-1].handle is None:
                joined[-1].size += block.size
            else:
                joined.append(block)
        segment.blocks = joined

    def empty_cache(self):
        """Return to the driver every segment that is free as a whole."""
        kept = []
        for segment in self._segments:
            if segment.idle():
                self._reserved -= segment.size
            else:
                kept.append(segment)
        self._segments = kept

    def reset_peak(self):
        """Let the peaks begin anew, at what is allocated and reserved now."""
        self._peak_allocated = self._allocated
        self._peak_reserved = self._reserved

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
        split = largest = 0
        for segment in self._segments:
            free = [block.size for block in segment.blocks if block.handle is None]
            largest = max([largest, *free])
            if not segment.idle():
                split += sum(free)
        return {
            "requested": sum(self._requests.values()),
            "allocated": self._allocated,
            "reserved": self._reserved,
            "inactive_split": split,
            "largest_free": largest,
            "peak_allocated": self._peak_allocated,
            "peak_reserved": self._peak_reserved,
        }


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
        if policy not in POLICIES:
            raise ValueError(f"no policy is called {policy!r}")
        policy = POLICIES[policy]
    try:
        given = dict(policy)
    except (TypeError, ValueError):
        raise ValueError("a policy is a name or a dict") from None
    rule = {"master": 0, "counter": 0}
    for key, value in given.items():
        if key not in POLICY_KEYS and key not in ("master", "counter"):
            raise ValueError(f"unknown key {key!r}")
        rule[key] = _count(value)
    for key in POLICY_KEYS:
        if key not in rule:
            raise ValueError(f"the policy lacks {key!r}")
    stage, devices = _count(stage), _count(devices, least=1)
    if stage > 3:
        raise ValueError("there are stages 0 to 3")
    counts = [_elements(shape) for shape in _sequence(parameter_shapes)]
    kept = sum(_elements(shape) for shape in _sequence(activation_shapes))
    everything = sum(counts)
    share = math.ceil(Fraction(everything, devices))
    states = share if stage >= 1 else everything
    gradients = share if stage >= 2 else everything
    weights = share if stage >= 3 else everything
    parts = {
        "parameters": weights * rule["weight"] + states * rule["master"],
        "gradients": gradients * rule["gradient"],
        "optimizer": states * rule["state"] * rule["states"] + len(counts) * rule["counter"],
        "activations": kept * rule["activation"],
    }
    return {**parts, "total": sum(parts.values())}


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
    batch, width = _count(batch), _count(width, least=1)
    if _count(itemsize) not in (2, 4, 8):
        raise ValueError("an element has 2, 4 or 8 bytes")
    plain = ("relu", "tanh", "gelu", "layernorm", "dropout", "cross_entropy")
    chain = []
    for layer in _sequence(layers):
        parts = [layer] if isinstance(layer, str) else _sequence(layer)
        if len(parts) == 2 and isinstance(parts[0], str) and parts[0] == "linear":
            chain.append(("linear", _count(parts[1], least=1)))
        elif len(parts) == 1 and isinstance(parts[0], str) and parts[0] in plain:
            chain.append((parts[0], None))
        else:
            raise ValueError(f"unknown layer {layer!r}")
    for name, _ in chain[:-1]:
        if name == "cross_entropy":
            raise ValueError("cross_entropy is the last layer")

    kept = {}  # number of a tensor in the chain, or a name: its elements; the data is number 0
    needs = False  # whether anything up to here needs a gradient
    for number, (name, size) in enumerate(chain):
        elements = batch * width
        if name in ("linear", "layernorm"):
            needs = True
        if needs:
            if name in ("linear", "gelu", "layernorm"):
                kept[number] = elements
            if name in ("relu", "tanh"):
                kept[number + 1] = elements
            if name == "layernorm":
                kept["statistics", number] = 2 * batch
            if name == "dropout":
                kept["mask", number] = elements
            if name == "cross_entropy":
                kept["log-probabilities"] = elements
                kept["total weight"] = 1
        if name == "linear":
            width = size
    kept.pop(0, None)
    return int(itemsize) * sum(kept.values())


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
    s, b, h, a = (_count(n, least=1) for n in (s, b, h, a))
    t = _count(tensor_parallel, least=1)
    if recompute not in ("none", "selective", "full"):
        raise ValueError(f"recompute is none, selective or full, not {recompute!r}")
    if h % t or a % t or (sequence_parallel and s % t):
        raise ValueError(f"not a multiple of {t}")
    parts = dict.fromkeys(("norms", "attention", "scores", "mlp", "input"), 0)
    unit = s * b * h
    if recompute == "full":
        parts["input"] = 2 * unit
    else:
        shared = Fraction(unit, t) if sequence_parallel else Fraction(unit)
        split = Fraction(unit, t)
        exact = {
            "norms": 2 * 2 * shared,
            "attention": (2 + 1) * shared + (2 + 2 + 2 + 2) * split,
            "mlp": (2 + 1) * shared + (8 + 8) * split,
        }
        if recompute == "none":
            exact["scores"] = (2 + 2 + 1) * Fraction(a * s * s * b, t)
        for name, number in exact.items():
            parts[name] = int(number)
    return {**parts, "total": sum(parts.values())}


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
    widths = [_count(width, least=1) for width in _sequence(widths)]
    batch = _count(batch, least=1)
    if len(widths) < 2:
        raise ValueError("at least two widths")
    if optimizer not in ("sgd", "momentum", "adamw"):
        raise ValueError(f"unknown optimizer {optimizer!r}")
    layers = len(widths) - 1
    tensors = []
    for before, after in pairwise(widths):
        tensors += [4 * before * after, 4 * after]
    rows = [4 * batch * width for width in widths]  # bytes of the activations of each width
    parameters = sum(tensors)
    states = {"sgd": 0, "momentum": parameters, "adamw": 2 * parameters + 4 * len(tensors)}
    data = rows[0] + 8 * batch
    base = parameters + states[optimizer] + data
    if not set_to_none:
        base += parameters  # the gradients that are kept

    phases = {}
    book = Ledger(base)

    def close(name, before):
        phases[name] = {"before": before, "peak": book.peak, "after": book.total()}
        book.peak = book.total()
        return book.total()

    now = base
    for layer in range(1, layers):
        book.make(("linear", layer), rows[layer])
        book.make(("relu", layer), rows[layer])
        book.drop(("linear", layer))
    book.make("logits", rows[-1])
    book.make("log-probabilities", rows[-1])
    book.make("loss", 4 + 4)
    book.drop("logits")
    now = close("forward", now)

    book.make("gradient of the loss", 4)
    book.make("first", rows[-1])
    book.alive["loss"] = 4  # the total weight is gone
    book.make(("gradient", layers), rows[-1])
    book.drop("first", "log-probabilities")
    for layer in range(layers, 0, -1):
        if layer > 1:
            book.make(("gradient of the relu", layer - 1), rows[layer - 1])
        new = []
        for index in (2 * layer - 2, 2 * layer - 1):
            book.make(("parameter", index), tensors[index])
            new.append(("parameter", index))
        book.drop(("gradient", layer))
        if not set_to_none:
            book.drop(*new)
        if layer > 1:
            book.make(("gradient", layer - 1), rows[layer - 1])
            book.drop(("gradient of the relu", layer - 1), ("relu", layer - 1))
    book.drop("loss", "gradient of the loss")
    now = close("backward", now)

    if optimizer == "adamw" and foreach:
        book.make("copy", parameters)
        book.drop("copy")
    elif optimizer == "adamw":
        last = None
        for index, nbytes in enumerate(tensors):
            book.make(("one", index), nbytes)
            book.make(("two", index), nbytes)
            if last is not None:
                book.drop(last)
            book.drop(("one", index))
            last = ("two", index)
        book.drop(last)
    if set_to_none:
        book.drop(*[("parameter", index) for index in range(len(tensors))])
    close("update", now)

    return {
        "parameters": parameters,
        "gradients": parameters,
        "optimizer": states[optimizer],
        "batch": data,
        **phases,
        "peak_phase": max(phases, key=lambda name: phases[name]["peak"]),
    }


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
    widths = [_count(width, least=1) for width in _sequence(widths)]
    batch = _count(batch, least=1)
    if len(widths) < 2:
        raise ValueError("at least two widths")
    book = Ledger(0)
    held = None
    for layer in range(1, len(widths)):
        kinds = ["linear", "relu"] if layer < len(widths) - 1 else ["linear"]
        for kind in kinds:
            book.make((kind, layer), 4 * batch * widths[layer])
            if held is not None:
                book.drop(held)
            held = (kind, layer)
    return {"peak": book.peak, "after": book.total()}


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
    def read(size):
        if isinstance(size, Integral) and not isinstance(size, bool):
            return int(size)
        return to_bytes(size)

    guessed = {item: read(size) for item, size in predicted.items()}
    found = {item: read(size) for item, size in measured.items()}
    whole = read(live)
    differences = []
    for item in [*guessed, *[item for item in found if item not in guessed]]:
        difference = found.get(item, 0) - guessed.get(item, 0)
        if difference != 0:
            differences.append((item, difference))
    differences.sort(key=lambda pair: -abs(pair[1]))
    return {
        "gap": whole - sum(guessed.values()),
        "terms": dict(differences),
        "unexplained": whole - sum(found.values()),
    }
