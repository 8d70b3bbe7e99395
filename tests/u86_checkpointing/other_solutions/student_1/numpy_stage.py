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

import numpy as np


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
    if not (n >= 1 and 1 <= segments <= n and segments == int(segments)):
        raise ValueError("segments must be from 1 to n")
    n, k = int(n), int(segments)
    cuts = [i * (n // k) + max(0, i - k + n % k) for i in range(k + 1)]
    return list(zip(cuts, cuts[1:], strict=False))


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
    now = rng.bit_generator.state
    try:
        rng.bit_generator.state = state
        return function()
    finally:
        rng.bit_generator.state = now


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
    boundaries = []
    for start, end in segment_spans(len(layers), segments):
        boundaries.append((start, end, x, rng.bit_generator.state))
        for layer in layers[start:end]:
            x = layer.forward(x, rng)[0]
    return x, boundaries


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
    def again(start, end, x):
        caches = []
        for layer in layers[start:end]:
            x, cache = layer.forward(x, rng)
            caches.append(cache)
        return caches

    grads = []
    for start, end, x, state in reversed(boundaries):
        caches = replay(rng, state, lambda: again(start, end, x))  # noqa: B023
        for layer in layers[start:end][::-1]:
            grad, own = layer.backward(caches.pop(), grad)
            grads.append(own)
    return grad, grads[::-1]


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
    sizes = [s.item() if isinstance(s, np.generic) else s for s in sizes]
    if len(sizes) < 2 or not all(0 <= s < math.inf for s in sizes):
        raise ValueError("sizes must be two or more finite numbers of 0 or more")
    n = len(sizes) - 1
    starts = [start for start, _ in segment_spans(n, segments)]
    stored = sum(sizes[i] for i in starts)
    segment = np.add.reduceat(np.array(sizes[1:], dtype=object), starts).max()
    return {
        "stored": stored,
        "segment": segment,
        "peak": stored + segment,
        "plain": sum(sizes),
        "recomputed": n,
        "forwards": 2 * n,
    }


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
    if not n >= 1:
        raise ValueError("n must be at least 1")
    k = np.arange(1, n + 1)
    return int(np.argmin(k - (-n // k))) + 1


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
    if not all(size >= 1 for size in (s, b, h, a, t)):
        raise ValueError("sizes must be at least 1")
    try:
        row = ("none", "selective", "full").index(recompute)
    except ValueError:
        raise ValueError(f"unknown: {recompute}") from None
    whole = 10 / t if sequence_parallel else 10
    per = (whole + 24 / t + 5 * a * s / h / t, whole + 24 / t, 2)[row]
    return float(s * b * h * per)
