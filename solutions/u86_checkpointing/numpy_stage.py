"""Unit 8.6, NumPy stage: keep the inputs of segments, run the rest again, count what that costs.

Letters in shapes: B batch, D width, n layers, k segments. Units are in brackets. Only NumPy and the
standard library are needed. No function changes its arguments, other than drawing from a generator.

A *layer* here is any object with two methods:

- ``forward(x, rng)`` returns ``(y, cache)``: the output, and what the layer's backward needs. Some
  layers draw from `rng`, a `numpy.random.Generator`, as dropout does.
- ``backward(cache, grad)`` returns ``(grad_x, grads)``: the gradient of its input, and a dict with
  the gradients of its parameters.

The caches are the activation memory that checkpointing saves: they are large, boundaries are few.
The checks hand in layers of their own, and count their calls and what is still in memory.
"""

import math
import operator


def segment_spans(n, segments):
    """Cut a chain of layers into segments of nearly the same length.

    Lengths differ by at most one, and the longer segments come last.

    Args:
        n: Layers in the chain, at least 1.
        segments: Segments k, from 1 to n.

    Returns:
        List of k tuples ``(start, end)`` of integers, in order: the layers ``start .. end - 1``.

    Raises:
        ValueError: If `n` is below 1, or `segments` is not from 1 to `n`.
    """
    # region 8.6.a
    if n < 1 or not 1 <= segments <= n:
        raise ValueError(f"{n} layers cannot be cut into {segments} segments")
    short, longer = divmod(n, segments)
    spans, start = [], 0
    for index in range(segments):
        end = start + short + (index >= segments - longer)
        spans.append((start, end))
        start = end
    return spans
    # endregion


def replay(rng, state, function):
    """Call a function while a generator stands where it once stood, then put the generator back.

    What recomputation needs: the function draws the numbers that it drew the first time, and
    whoever uses the generator afterwards does not notice.

    Args:
        rng: A `numpy.random.Generator`, of any bit generator.
        state: What ``rng.bit_generator.state`` was at an earlier moment.
        function: Function without arguments; it draws from `rng`.

    Returns:
        What `function` returns. Whether it returns or raises, `rng` then stands exactly where it
        stood when `replay` was called. `state` is left as it is, and can be used again.
    """
    # region 8.6.b
    now = rng.bit_generator.state
    rng.bit_generator.state = state
    try:
        return function()
    finally:
        rng.bit_generator.state = now
    # endregion


def chain_forward(layers, x, segments, rng):
    """Run a chain of layers forward and keep what is needed to run each segment again.

    Every layer is called once, in order, with the generator `rng` as it comes. Nothing but the
    input of each segment and the state of the generator before it is kept: no cache, and no array
    between two layers of one segment. Segments are those of `segment_spans`.

    Args:
        layers: List of n layers, at least 1. The same layer may be in it more than once.
        x: Input of the first layer, an array of any shape.
        segments: Segments k, from 1 to n.
        rng: A `numpy.random.Generator`.

    Returns:
        ``(y, boundaries)``: the output of the last layer, and a list with one entry a segment, in
        order. What an entry is, is up to you; `chain_backward` alone reads it.

    Raises:
        ValueError: If `segments` is not from 1 to n.
    """
    # region 8.6.c
    boundaries = []
    for start, end in segment_spans(len(layers), segments):
        boundaries.append((start, end, x, rng.bit_generator.state))
        for layer in layers[start:end]:
            x, _ = layer.forward(x, rng)
    return x, boundaries
    # endregion


def chain_backward(layers, boundaries, grad, rng):
    """Run a chain backward from its boundaries, running each segment forward again just before.

    The last segment comes first. Each layer's `forward` is called once more, its `backward` once.
    The gradients are, bit for bit, those of a chain that kept everything: layers that draw random
    numbers draw the same ones again, also if `rng` was used for other things since the forward.
    Afterwards `rng` stands where it stood when this function was called.

    At no time are the caches of two segments in memory: those of one are gone before the next
    segment is run again.

    Args:
        layers: The layers that `chain_forward` was called with.
        boundaries: What it returned; left as it is, so that a second backward gives the same.
        grad: Gradient of the output.
        rng: The generator of the forward.

    Returns:
        ``(grad_x, grads)``: the gradient of the chain's input, and a list of the n dicts that the
        layers' `backward` returned, in the order of the layers.
    """
    # region 8.6.d
    grads = [None] * len(layers)
    for start, end, x, state in reversed(boundaries):
        caches = []

        def run_again(x=x, span=layers[start:end], caches=caches):
            for layer in span:
                x, cache = layer.forward(x, rng)
                caches.append(cache)

        replay(rng, state, run_again)
        for index in reversed(range(start, end)):
            grad, grads[index] = layers[index].backward(caches.pop(), grad)
    return grad, grads
    # endregion


def chain_counts(sizes, segments):
    """Count what checkpointing a chain keeps, and what it runs again.

    The model: between forward and backward the inputs of all segments are kept, the chain's own
    input among them, and they stay until the backward is over. In the backward, the outputs of all
    layers of one segment are kept on top, of one segment at a time. Without checkpointing the
    input and all outputs are kept.

    Args:
        sizes: The n + 1 sizes of the chain's input and of each layer's output, in order [B];
            numbers of 0 or more. Integers give exact integers, however large.
        segments: Segments k, from 1 to n, those of `segment_spans`.

    Returns:
        A dict with

        - ``"stored"``: inputs of the segments [B].
        - ``"segment"``: outputs of the layers of that segment which has the most of them [B].
        - ``"peak"``: both together [B].
        - ``"plain"``: what is kept without checkpointing [B].
        - ``"recomputed"``: calls of a layer's forward that are made in the backward (int).
        - ``"forwards"``: calls of a layer's forward in the whole step (int).

    Raises:
        ValueError: If there are fewer than 2 sizes, one is negative, NaN or infinite, or
            `segments` is not from 1 to n.
    """
    # region 8.6.e
    # sums of int64 overflow without a word, those of Python's integers do not
    sizes = [size.item() if hasattr(size, "item") else size for size in sizes]
    if any(not 0 <= size < math.inf for size in sizes):
        raise ValueError("a size is negative, NaN or infinite")
    n = len(sizes) - 1
    spans = segment_spans(n, segments)
    stored = sum(sizes[start] for start, _ in spans)
    segment = max(sum(sizes[start + 1 : end + 1]) for start, end in spans)
    return {
        "stored": stored,
        "segment": segment,
        "peak": stored + segment,
        "plain": sum(sizes),
        "recomputed": n,
        "forwards": 2 * n,
    }
    # endregion


def best_segments(n):
    """Return how many segments give a chain of n equal layers the lowest peak.

    The peak is that of `chain_counts` with n + 1 equal sizes. Of several numbers of segments with
    the same peak it is the smallest.

    Args:
        n: Layers, at least 1, up to some thousands.

    Returns:
        Segments k (int), from 1 to n.

    Raises:
        ValueError: If `n` is below 1.
    """
    # region 8.6.f
    n = operator.index(n)
    if n < 1:
        raise ValueError(f"a chain of {n} layers has no segments")
    return min(range(1, n + 1), key=lambda k: k + math.ceil(n / k))
    # endregion


def transformer_layer_bytes(  # noqa: PLR0917 - the sizes of the formula, in its order
    s, b, h, a, recompute="none", t=1, sequence_parallel=False
):
    """Return the activation bytes of one transformer layer on one device.

    The layer of arXiv:2205.05198: 16-bit activations, dropout masks of 1 byte an element, a
    network of width 4 h, attention with its scores kept. In units of ``s b h`` bytes (equations 1
    to 6 there):

    - attention keeps 11 and, for scores, softmax and its dropout mask, ``5 a s / h``;
    - the network keeps 19, the two norms 4. Together 34 and ``5 a s / h``.
    - Tensor parallelism over t devices splits 24 of the 34 and the scores; 10 stay whole on each
      device (norms, dropouts, inputs of the parallel parts).
    - Sequence parallelism splits these 10 as well.

    *Selective* recomputation runs scores, softmax and their dropout again: the ``5 a s / h`` are
    not kept. *Full* recomputation keeps the layer's input alone, whole on each device: 2.

    Args:
        s: Tokens of a sequence.
        b: Sequences of a micro-batch.
        h: Width.
        a: Attention heads.
        recompute: ``"none"``, ``"selective"`` or ``"full"``.
        t: Devices of tensor parallelism.
        sequence_parallel: Whether sequence parallelism is used with it.

    Returns:
        Bytes a layer [B], exact up to the rounding of a float.

    Raises:
        ValueError: If a size or `t` is below 1, or `recompute` is another word.
    """
    # region 8.6.g
    if min(s, b, h, a, t) < 1:
        raise ValueError("sizes must be 1 or more")
    if recompute not in ("none", "selective", "full"):
        raise ValueError(f"recompute is {recompute!r}, must be none, selective or full")
    unit = s * b * h
    if recompute == "full":
        return 2 * unit
    whole = 10 / t if sequence_parallel else 10
    scores = 5 * a * s / (h * t) if recompute == "none" else 0
    return unit * (whole + 24 / t + scores)
    # endregion
