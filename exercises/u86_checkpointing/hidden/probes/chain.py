"""A chain of NumPy layers that count their calls, and know which of their caches are alive."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from typing import Any

import numpy as np


class Watch:
    """What the layers of a chain have seen.

    Attributes:
        calls: ``[method, place of the layer]`` in order.
        alive: Caches in memory now.
        most: The most caches so far.
        held: ``[place, caches in memory]`` when a layer's forward begins, in order.
    """

    def __init__(self) -> None:
        self.calls: list[list[Any]] = []
        self.held: list[list[int]] = []
        self.alive = self.most = 0

    def born(self, cache: Cache) -> None:
        """Follow a cache until it dies."""
        self.alive += 1
        self.most = max(self.most, self.alive)
        weakref.finalize(cache, self._died)

    def _died(self) -> None:
        self.alive -= 1


class Cache:
    """What a layer's backward needs."""

    def __init__(self, *arrays: Any) -> None:
        self.arrays = arrays


class Layer:
    """``tanh(x W + b)`` with dropout behind it, where `drop` is above 0."""

    def __init__(self, place: int, weight: Any, bias: Any, drop: float, watch: Watch) -> None:
        self.place, self.watch = place, watch
        self._weight, self._bias, self._drop = weight, bias, drop

    def forward(self, x: Any, rng: np.random.Generator) -> tuple[Any, Cache]:
        """Return the output and the cache."""
        self.watch.calls.append(["forward", self.place])
        self.watch.held.append([self.place, self.watch.alive])
        inner = np.tanh(x @ self._weight + self._bias)
        mask = None
        y = inner
        if self._drop:
            mask = (rng.random(inner.shape) >= self._drop).astype(inner.dtype)
            y = inner * mask
        cache = Cache(x, inner, mask)
        self.watch.born(cache)
        return y, cache

    def backward(self, cache: Cache, grad: Any) -> tuple[Any, dict[str, Any]]:
        """Return the gradient of the input, and those of weight and bias."""
        self.watch.calls.append(["backward", self.place])
        x, inner, mask = cache.arrays
        if mask is not None:
            grad = grad * mask
        grad = grad * (1 - inner * inner)
        rows, out = (array.reshape(-1, array.shape[-1]) for array in (x, grad))
        return grad @ self._weight.T, {"weight": rows.T @ out, "bias": out.sum(axis=0)}


def _chain(case: dict[str, Any]) -> tuple[list[Layer], Any, Any, np.random.Generator, Watch]:
    """Return layers, input, gradient of the output, generator and watch of a case."""
    rng, watch = np.random.default_rng(case["seed"]), Watch()
    n, width, dtype = case["n"], case["width"], np.dtype(case["dtype"])

    def array(*shape: int) -> Any:
        return rng.standard_normal(shape).astype(dtype)

    layers = [
        Layer(i, array(width, width) / np.sqrt(width).astype(dtype), array(width),
              case["drop"] if i % 2 else 0.0, watch)
        for i in range(n)
    ]  # fmt: skip
    if case.get("shared"):
        layers[-1] = layers[0]
    shape = (case["batch"], *([case["tokens"]] if case.get("tokens") else []), width)
    x, grad = array(*shape), array(*shape)
    bits = getattr(np.random, case.get("bits", "PCG64"))
    return layers, x, grad, np.random.Generator(bits(case["seed"])), watch


def _state(rng: np.random.Generator) -> str:
    """Return the state of a generator as text, arrays in full."""
    with np.printoptions(threshold=10_000):
        return repr(rng.bit_generator.state)


def plain_chain(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the chain of the case, keeping everything; beside the solution alone."""
    layers, x, grad, rng, _ = _chain(case)
    caches = []
    y = x
    for layer in layers:
        y, cache = layer.forward(y, rng)
        caches.append(cache)
    after = _state(rng)
    grads: list[Any] = [None] * len(layers)
    for place in reversed(range(len(layers))):
        grad, grads[place] = layers[place].backward(caches[place], grad)
    return {"y": y, "state": after, "grad": grad, "grads": grads}


def recomputed_chain(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the student's forward, and its backward if asked; return results and what was kept."""
    layers, x, grad, rng, watch = _chain(case)
    before = [x.copy(), grad.copy()]
    gc.collect()
    tracemalloc.start()
    base = tracemalloc.get_traced_memory()[0]
    answer = stage.chain_forward(layers, x, case["segments"], rng)
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] - base
    tracemalloc.stop()
    y, boundaries = answer
    seen: dict[str, Any] = {
        "y": np.array(y),
        "kept": kept,
        "entries": len(boundaries),
        "state": _state(rng),
        "caches": watch.alive,
        "forward": list(watch.calls),
    }
    if not case["backward"]:
        return seen
    del y, answer
    seen["runs"] = []
    for _ in range(case.get("times", 1)):
        rng.random(case["between"])
        stood = _state(rng)
        watch.calls.clear()
        watch.held.clear()
        watch.most = watch.alive
        grad_x, grads = stage.chain_backward(layers, boundaries, grad, rng)
        seen["runs"].append({
            "grad": np.array(grad_x),
            "grads": [{k: np.array(v) for k, v in found.items()} for found in grads],
            "moved": _state(rng) != stood,
            "calls": list(watch.calls),
            "most": watch.most,
            "held": list(watch.held),
        })  # fmt: skip
    seen["kept_arguments"] = bool((before[0] == x).all() and (before[1] == grad).all())
    return seen


def refused_chain(stage: Any, case: dict[str, Any]) -> str:
    """Return the classes of the error that the forward raises, as words."""
    layers, x, _, rng, _ = _chain(case)
    try:
        stage.chain_forward(layers, x, case["segments"], rng)
    except NotImplementedError:
        raise
    except Exception as error:  # which one is judged by the driver
        return " ".join(kind.__name__ for kind in type(error).__mro__)
    return ""


def replayed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Replay a draw, draws that raise, and a draw from a state used before.

    An odd number of single precision leaves half a word in the generator, which its state has too.
    """
    rng = np.random.Generator(getattr(np.random, case["bits"])(case["seed"]))

    def numbers() -> Any:
        half = rng.random(3, dtype=np.float32)
        return np.concatenate([half, rng.random(case["count"])])

    rng.random(case["skip"])
    rng.random(1, dtype=np.float32)
    state = rng.bit_generator.state
    text = _state(rng)
    first = numbers()
    rng.random(case["between"])
    now = _state(rng)
    calls = []

    def draw() -> Any:
        calls.append(1)
        return numbers()

    def fail() -> None:
        numbers()
        raise KeyError(case["word"])

    class Stop(BaseException):
        """As an interrupt is: no Exception."""

    def stop() -> None:
        numbers()
        raise Stop

    again = np.array(stage.replay(rng, state, draw))
    moved = _state(rng) != now
    called = len(calls)
    second = np.array(stage.replay(rng, state, draw))
    thing = object()
    same = stage.replay(rng, state, lambda: thing) is thing
    raised = ""
    now = _state(rng)
    try:
        stage.replay(rng, state, fail)
    except KeyError as error:
        raised = str(error.args[0])
    moved_by_error = _state(rng) != now
    try:
        stage.replay(rng, state, stop)
    except Stop:
        moved_by_error = moved_by_error or _state(rng) != now
    else:
        raised += ", but an interrupt does not come through"
    rng.bit_generator.state = state
    return {
        "first": first, "again": again, "second": second, "moved": moved, "called": called,
        "same": same, "raised": raised, "moved_by_error": moved_by_error,
        "state_kept": _state(rng) == text,
    }  # fmt: skip
