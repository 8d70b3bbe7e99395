"""Another way: arrays and prefix sums, boundaries as dicts, recomputation in a context."""

import contextlib

import numpy as np


def segment_spans(n, segments):
    if not 1 <= segments <= n:
        raise ValueError("no such cut")
    lengths = np.full(segments, n // segments)
    lengths[segments - n % segments :] += 1
    ends = np.cumsum(lengths)
    return np.stack([ends - lengths, ends], axis=1)


@contextlib.contextmanager
def _at(rng, state):
    stood = rng.bit_generator.state
    rng.bit_generator.state = state
    try:
        yield
    finally:
        rng.bit_generator.state = stood


def replay(rng, state, function):
    with _at(rng, state):
        return function()


def chain_forward(layers, x, segments, rng):
    boundaries = []
    starts = {int(start): int(end) for start, end in segment_spans(len(layers), segments)}
    for index, layer in enumerate(layers):
        if index in starts:
            boundaries.append(
                {
                    "span": slice(index, starts[index]),
                    "x": x.copy(),
                    "state": rng.bit_generator.state,
                }
            )
        x = layer.forward(x, rng)[0]
    return x, tuple(boundaries)


def chain_backward(layers, boundaries, grad, rng):
    grads = []
    for boundary in boundaries[::-1]:
        stack, x = [], boundary["x"]
        with _at(rng, boundary["state"]):
            for layer in layers[boundary["span"]]:
                x, cache = layer.forward(x, rng)
                stack.append((layer, cache))
        del x, cache
        while stack:
            layer, cache = stack.pop()
            grad, found = layer.backward(cache, grad)
            grads.insert(0, found)
            del cache
    return grad, tuple(grads)


def chain_counts(sizes, segments):
    sizes = np.array(list(sizes), dtype=object)
    if not all(np.isfinite(float(size)) and size >= 0 for size in sizes):
        raise ValueError("sizes")
    n = len(sizes) - 1
    spans = segment_spans(n, segments)
    running = np.concatenate([[0], np.cumsum(sizes)])
    stored = sizes[spans[:, 0].astype(int)].sum()
    segment = (running[spans[:, 1] + 1] - running[spans[:, 0] + 1]).max()
    return {
        "stored": stored,
        "segment": segment,
        "peak": stored + segment,
        "plain": running[-1],
        "recomputed": np.int64(n),
        "forwards": np.int64(2 * n),
        "note": "more keys do no harm",
    }


def best_segments(n):
    if n < 1:
        raise ValueError("layers")
    k = np.arange(1, n + 1)
    return k[np.argmin(k + -(-n // k))]


def transformer_layer_bytes(  # noqa: PLR0917 - as the task has it
    s, b, h, a, recompute="none", t=1, sequence_parallel=False
):
    if recompute not in {"none", "selective", "full"} or any(v < 1 for v in (s, b, h, a, t)):
        raise ValueError("layer")
    if recompute == "full":
        return np.float64(2.0) * s * b * h
    parts = np.array([10.0, 24.0, 5 * a * s / h])
    shares = np.array([1 / t if sequence_parallel else 1, 1 / t, (recompute == "none") / t])
    return (parts @ shares) * s * b * h
