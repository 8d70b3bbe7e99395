"""Unit 8.5, NumPy stage, another way: Python's loops and its math module."""

import itertools
import math
import warnings

import numpy as np


def classify(op, inputs):
    """Read the warnings that NumPy gives when it is told to warn."""
    with np.errstate(all="warn"), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = op(*inputs)
    text = " ".join(str(w.message) for w in seen)
    words = {"divide by zero": "divide", "invalid value": "invalid", "overflow": "overflow"}
    for word, kind in words.items():
        if word in text:
            return kind
    values = np.asarray(result).ravel().tolist()
    if not all(map(math.isfinite, values)):
        return "propagated"
    return "underflow" if "underflow" in text else "fine"


def _lines(x, axis):
    """Yield the index of each line along an axis, and its entries as floats."""
    moved = np.moveaxis(x, axis, -1)
    for place in itertools.product(*(range(n) for n in moved.shape[:-1])):
        yield place, [float(v) for v in moved[place]]


def _float(x):
    return x.dtype if x.dtype in (np.float16, np.float32, np.float64) else np.float64


def softmax(x, axis=-1, keep=None):
    """Go through the rows one by one."""
    x = np.asarray(x)
    if keep is None:
        keep = np.ones(x.shape, dtype=bool)
    keep = np.asarray(keep)
    if keep.dtype.kind != "b":
        raise ValueError("a mask is boolean")
    keep = np.moveaxis(np.broadcast_to(keep, x.shape), axis, -1)
    result = np.zeros(np.moveaxis(x, axis, -1).shape)
    for place, row in _lines(x, axis):
        mask = [bool(k) for k in keep[place]]
        kept = [v for v, k in zip(row, mask, strict=True) if k]
        if any(math.isnan(v) or v == math.inf for v in kept):
            result[place] = [math.nan if k else 0.0 for k in mask]
            continue
        top = max(kept, default=-math.inf)
        if top == -math.inf:
            continue
        weights = [math.exp(v - top) if k else 0.0 for v, k in zip(row, mask, strict=True)]
        total = math.fsum(weights)
        result[place] = [w / total for w in weights]
    with np.errstate(under="ignore"):
        return np.moveaxis(result, -1, axis).astype(_float(x))


def logsumexp(x, axis=-1):
    """Go through the rows one by one."""
    x = np.asarray(x)
    result = np.zeros(np.moveaxis(x, axis, -1).shape[:-1])
    for place, row in _lines(x, axis):
        top = max(row, default=-math.inf)
        if any(map(math.isnan, row)):
            result[place] = math.nan
        elif math.isinf(top):
            result[place] = top
        else:
            result[place] = top + math.log(math.fsum(math.exp(v - top) for v in row))
    return result.astype(_float(x))


def log1mexp(x):
    """Go through the entries one by one."""
    x = np.asarray(x)

    def one(v):
        if math.isnan(v) or v > 0:
            return math.nan
        if v == 0:
            return -math.inf
        return math.log(-math.expm1(v)) if v > -0.5 else math.log1p(-math.exp(v))

    values = [one(float(v)) for v in x.ravel()]
    with np.errstate(under="ignore"):
        return np.array(values, dtype=np.float64).reshape(x.shape).astype(x.dtype)


def first_invalid(trace, allow=()):
    """Go through the indices one by one."""
    for name, array in trace:
        array = np.asarray(array)  # noqa: PLW2901
        for index in np.ndindex(array.shape):
            value = float(array[index])
            if math.isfinite(value) or (value == -math.inf and name in allow):
                continue
            return name, index, "nan" if math.isnan(value) else "+-"[value < 0] + "inf"
    return None


def safe_sqrt_grad(x, upstream=1.0):
    """Go through the entries one by one."""
    x = np.asarray(x)
    up = np.broadcast_to(upstream, x.shape)
    value, gradient = np.empty_like(x, order="C"), np.empty_like(x, order="C")
    for index in np.ndindex(x.shape):
        v = float(x[index])
        if v <= 0:
            value[index], gradient[index] = 0, 0
        elif math.isnan(v):
            value[index], gradient[index] = math.nan, math.nan
        else:
            value[index] = math.sqrt(v)
            gradient[index] = float(up[index]) / (2 * math.sqrt(v))
    return value, gradient


def detectors(trace, nodes, allow=()):
    """Go through the nodes one by one."""
    seen = {"forward": False, "anomaly": False, "node": False}
    if first_invalid(trace, allow):
        seen["forward"] = True
    for step in nodes:
        sides = {}
        for side in ("incoming", "outgoing"):
            arrays = [np.ravel(a) for a in step[side] if a is not None]
            sides[side] = [float(v) for a in arrays for v in a]
        if any(math.isnan(v) for v in sides["outgoing"]):
            seen["anomaly"] = True
        if all(math.isfinite(v) for v in sides["incoming"]) and not all(
            math.isfinite(v) for v in sides["outgoing"]
        ):
            seen["node"] = True
    return seen
