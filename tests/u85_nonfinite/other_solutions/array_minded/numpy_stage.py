"""Unit 8.5, NumPy stage, another way: by other NumPy functions."""

import numpy as np


def _raises(op, inputs, **flags):
    try:
        with np.errstate(**{"all": "ignore", **flags}):
            op(*inputs)
    except FloatingPointError:
        return True
    return False


def classify(op, inputs):
    """Run the operation once for each flag that may be raised."""
    for kind, flag in (("divide", "divide"), ("invalid", "invalid"), ("overflow", "over")):
        if _raises(op, inputs, **{flag: "raise"}):
            return kind
    with np.errstate(all="ignore"):
        result = np.asarray(op(*inputs), dtype=float)
    if not np.isfinite(result).all():
        return "propagated"
    return "underflow" if _raises(op, inputs, under="raise") else "fine"


def _dtype(x):
    return x.dtype if x.dtype.kind == "f" else np.dtype(float)


def softmax(x, axis=-1, keep=None):
    """Shift by the largest, then subtract the logarithm of the sum."""
    x = np.asarray(x)
    if keep is not None and np.asarray(keep).dtype != bool:
        raise ValueError("keep must be boolean")
    keep = np.ones(x.shape, bool) if keep is None else np.broadcast_to(keep, x.shape)
    masked = np.ma.array(x.astype(float), mask=~keep).filled(-np.inf)
    with np.errstate(all="ignore"):
        top = np.max(masked, axis=axis, keepdims=True, initial=-1e308)
        masked = masked - np.clip(top, -1e308, 1e308)
        total = np.expand_dims(logsumexp(masked, axis), axis)
        shares = np.exp(masked - total)
    shares = np.where(np.isneginf(total) | ~keep, 0, shares)
    shares = np.where(keep & (np.isnan(total) | np.isposinf(total)), np.nan, shares)
    return shares.astype(_dtype(x))


def logsumexp(x, axis=-1):
    """Add in pairs, as logaddexp does."""
    x = np.asarray(x)
    with np.errstate(all="ignore"):
        total = np.logaddexp.reduce(x.astype(float), axis=axis, initial=-np.inf)
        return np.asarray(total, dtype=_dtype(x))


def log1mexp(x):
    """Fill each side by its own formula."""
    x = np.asarray(x)
    wide, result = np.atleast_1d(x.astype(float)), np.full(np.atleast_1d(x).shape, np.nan)
    near, far = (wide <= 0) & (wide > -0.7), wide <= -0.7
    with np.errstate(divide="ignore", under="ignore"):
        result[near] = np.log(-np.expm1(wide[near]))
        result[far] = np.log1p(-np.exp(wide[far]))
        return result.reshape(x.shape).astype(x.dtype)


def first_invalid(trace, allow=()):
    """List the bad entries of each array; the first is the first."""
    for name, array in trace:
        values = np.array(array, order="C")
        if values.dtype.kind not in "fc":
            continue
        bad = np.isnan(values) | np.isposinf(values)
        if name not in set(allow):
            bad |= np.isneginf(values)
        places = np.argwhere(bad)
        if len(places):
            index = tuple(places[0].tolist())
            kinds = {False: "+inf", True: "-inf"}
            value = values[index]
            return [name, list(index), "nan" if value != value else kinds[bool(value < 0)]]  # noqa: PLR0124
    return None


def safe_sqrt_grad(x, upstream=1.0):
    """Compute where the root is defined, and leave the rest at 0."""
    x = np.asarray(x)
    value, gradient = np.zeros(x.shape, x.dtype), np.zeros(x.shape, x.dtype)
    inside = (x > 0) | np.isnan(x)
    value[inside] = np.sqrt(x[inside])
    up = np.broadcast_to(upstream, x.shape)[inside]
    gradient[inside] = up / (2 * value[inside])
    return [value, gradient]


def detectors(trace, nodes, allow=()):
    """Reduce each node to two flags."""

    def bad(arrays, test):
        return any(test(np.asarray(a)).any() for a in arrays if a is not None)

    def infinite(a):
        return ~np.isfinite(a)

    return {
        "anomaly": any(bad(n["outgoing"], np.isnan) for n in nodes),
        "node": any(
            bad(n["outgoing"], infinite) and not bad(n["incoming"], infinite) for n in nodes
        ),
        "forward": bool(first_invalid(trace, allow)),
    }
