"""Unit 8.5, NumPy stage: where an invalid value is born, and formulas that do not make one.

A value is *bad* if it is NaN, +inf or -inf; a *kind* is the text ``"nan"``, ``"+inf"`` or
``"-inf"``. Arrays have any shape, also one without dimensions or without entries, and any strides;
nothing is changed in place, and NumPy's error state (`np.geterr`) is left as it was. An index is a
tuple with one integer for each dimension. Only NumPy and the standard library are needed.
"""

import math

import numpy as np

KINDS = ("divide", "invalid", "overflow", "propagated", "underflow", "fine")


def _float_type(x):
    return x.dtype if x.dtype.kind == "f" else np.dtype(np.float64)


def _rows(shape, axis):
    """Give the indices of one row after another."""
    if not shape:
        yield [()]
        return
    axis = axis % len(shape) if -len(shape) <= axis < len(shape) else shape[axis]
    for rest in np.ndindex(*shape[:axis], *shape[axis + 1 :]):
        yield [(*rest[:axis], k, *rest[axis:]) for k in range(shape[axis])]


def _softmax_row(row):
    """Softmax of a list; None takes no part."""
    kept = [value for value in row if value is not None]
    if any(math.isnan(value) or value == math.inf for value in kept):
        return [0.0 if value is None else math.nan for value in row]
    top = max(kept, default=-math.inf)
    if top == -math.inf:
        return [0.0] * len(row)
    powers = [0.0 if value is None else math.exp(value - top) for value in row]
    total = math.fsum(powers)
    return [power / total for power in powers]


def _logsumexp_row(row):
    if any(math.isnan(value) for value in row):
        return math.nan
    top = max(row, default=-math.inf)
    if math.isinf(top):
        return top
    return top + math.log(math.fsum(math.exp(value - top) for value in row))


def _log1mexp_number(number):
    if math.isnan(number) or number > 0:
        return math.nan
    if number == 0:
        return -math.inf
    if number > -math.log(2):
        return math.log(-math.expm1(number))
    return math.log1p(-math.exp(number))


def _first_bad(array, masked):
    """Return (index, kind) of the first bad value of an array, or None."""
    if array.dtype.kind != "f":
        return None
    for index in np.ndindex(*array.shape):
        value = float(array[index])
        if math.isnan(value):
            return index, "nan"
        if value == math.inf:
            return index, "+inf"
        if value == -math.inf and not masked:
            return index, "-inf"
    return None


def _kinds_of(arrays):
    """Return the set of kinds of all bad values in a list of arrays."""
    kinds = set()
    for array in arrays:
        if array is None or np.asarray(array).dtype.kind != "f":
            continue
        for value in np.asarray(array).flat:
            if math.isnan(value):
                kinds.add("nan")
            elif math.isinf(value):
                kinds.add("+inf" if value > 0 else "-inf")
    return kinds


def classify(op, inputs):
    """Say how an elementary operation made its bad values, by the flags of the processor.

    Calls ``op(*inputs)`` and returns the first of these that holds:

    1. ``"divide"``: an exact infinity from finite values, such as 1 / 0 or log(0),
    2. ``"invalid"``: a NaN from values that were none, such as 0 / 0, inf - inf or sqrt(-1),
    3. ``"overflow"``: a finite result too large for the dtype, which became infinite,
    4. ``"propagated"``: the result has a bad value, but this operation only passed it on,
    5. ``"underflow"``: a result too small for the dtype, which lost digits or became 0; no value
       is bad, which is why nobody notices,
    6. ``"fine"``.

    When entries differ, what is born here comes before what was passed on. The processor raises
    flags for the first three and the fifth; NumPy shows them through `np.errstate`. Whatever error
    state the caller has set, the answer is the same and no warning is printed.

    Args:
        op: A NumPy ufunc, or a function made of one.
        inputs: List or tuple of its arguments, arrays or numbers.

    Returns:
        One of the six words.
    """
    raised = set()

    def note(what, _):
        for word in ("divide", "invalid", "overflow", "underflow"):
            if word in what:
                raised.add(word)

    with np.errstate(all="call", call=note):
        result = op(*inputs)
    infinite = False
    missing = False
    for part in result if isinstance(result, tuple) else (result,):
        for value in np.asarray(part).flat:
            if np.issubdtype(type(value), np.inexact):
                infinite = infinite or bool(np.isinf(value))
                missing = missing or bool(np.isnan(value))
    if infinite and "divide" in raised:
        return "divide"
    if missing and "invalid" in raised:
        return "invalid"
    if infinite and "overflow" in raised:
        return "overflow"
    if infinite or missing:
        return "propagated"
    return "underflow" if "underflow" in raised else "fine"


def softmax(x, axis=-1, keep=None):
    """Return ``exp(x) / sum(exp(x))`` along an axis, right for scores of any size.

    Entries that are not kept take no part: their result is exactly 0, whatever they hold, NaN
    included. A -inf that is kept has the result 0 as well. A row of which nothing is left, because
    nothing is kept or all that is kept is -inf, is all zeros: that is what fused attention gives a
    query that may see no key, and its NaN would reach the loss of every other row. A kept NaN or
    +inf makes its whole kept row NaN: it is not hidden.

    Unless a kept entry is NaN or +inf, no warning is raised.

    Args:
        x: Scores; float16, float32, float64, or integers.
        axis: Along which the results sum to 1.
        keep: Booleans that broadcast to the shape of `x`; None keeps all.

    Returns:
        Array of the shape of `x` and its dtype (float64 for integers), each entry within a few
        rounding errors of that dtype, also where the sum does not fit it.

    Raises:
        ValueError: If `keep` is not boolean: an additive mask was handed in.
    """
    x = np.asarray(x)
    if keep is None:
        keep = True
    keep = np.asarray(keep)
    if keep.dtype != np.bool_:
        raise ValueError("keep must be boolean")
    keep = np.broadcast_to(keep, x.shape)
    dtype = _float_type(x)
    result = np.zeros(x.shape, dtype)
    with np.errstate(all="ignore"):
        for where in _rows(x.shape, axis):
            row = _softmax_row([x[i].item() if keep[i] else None for i in where])
            for i, value in zip(where, row, strict=True):
                result[i] = value
    return result


def logsumexp(x, axis=-1):
    """Return ``log(sum(exp(x)))`` along an axis, right for scores of any size.

    -inf where all entries are -inf or there are none; +inf where one is +inf and none is NaN; NaN
    where one is NaN. No warning in any of these cases.

    Args:
        x: Scores; float16, float32, float64, or integers.
        axis: The axis that is summed over, and gone in the result.

    Returns:
        Array of the dtype of `x` (float64 for integers), within a few rounding errors of that
        dtype relative to ``max(1, |result|)``, also where the sum of the exponentials does not fit
        it.
    """
    x = np.asarray(x)
    dtype = _float_type(x)
    if x.ndim == 0:
        return np.array(_logsumexp_row([x.item()]), dtype)
    shape = list(x.shape)
    del shape[axis]
    moved = np.moveaxis(x, axis, -1)
    result = np.empty(shape, dtype)
    with np.errstate(all="ignore"):
        for i in np.ndindex(*shape):
            result[i] = _logsumexp_row(moved[i].tolist())
    return result


def log1mexp(x):
    """Return ``log(1 - exp(x))`` for x <= 0, right to a few rounding errors everywhere.

    For x near 0, ``exp(x)`` rounds to 1 and the difference loses its digits; for very negative x,
    ``1 - exp(x)`` rounds to 1 and the logarithm does. `np.expm1` and `np.log1p` each help on one
    side of ``-log(2)`` (Maechler, "Accurately computing log(1 - exp(-|a|))", 2012).

    ``x = 0`` gives -inf, ``x = -inf`` gives 0, positive x and NaN give NaN; no warning.

    Args:
        x: Logarithms of probabilities; float16, float32 or float64.

    Returns:
        Array of the shape and dtype of `x`.
    """
    x = np.asarray(x)
    result = np.empty(x.shape, x.dtype)
    with np.errstate(all="ignore"):
        for i in np.ndindex(*x.shape):
            result[i] = _log1mexp_number(float(x[i]))
    return result


def first_invalid(trace, allow=()):
    """Return the first bad value of a trace: where it is, and of which kind.

    The first array of the trace that has a bad value, and in it the bad value with the smallest
    index in row-major order (the last dimension runs fastest), however the array lies in memory. A
    mask writes -inf on purpose: in arrays named in `allow` a -inf is not bad, NaN and +inf are.

    Args:
        trace: List of ``(name, array)`` in the order in which they were computed; names may
            repeat. Integers and booleans are never bad, nor is an array without entries.
        allow: Names, in a list, tuple or set, of the arrays that may hold -inf.

    Returns:
        ``(name, index, kind)``, or None if there is none. The index of an array without dimensions
        is ``()``.
    """
    for name, array in trace:
        found = _first_bad(np.asarray(array), name in allow)
        if found is not None:
            return (name, *found)
    return None


def safe_sqrt_grad(x, upstream=1.0):
    """Return value and gradient of ``f(x) = sqrt(x) if x > 0 else 0``, entry by entry.

    The gradient is ``upstream * f'(x)``, with ``f'(x) = 0`` for x <= 0. The obvious
    ``where(x > 0, upstream / (2 sqrt(x)), 0)`` computes the branch that is not taken as well, and
    autograd multiplies its infinite derivative by 0, which is NaN. Make the *input* of the root
    safe instead: one `where` before it, one after it.

    A NaN is not hidden: value and gradient are NaN there. As long as the gradient itself fits the
    dtype, the call passes inside ``np.errstate(divide="raise", over="raise", invalid="raise")``.

    Args:
        x: float16, float32 or float64.
        upstream: Gradient of what follows with respect to f, a number or an array that broadcasts
            to the shape of `x`; may be infinite or NaN where x <= 0, which changes nothing there.

    Returns:
        ``(value, gradient)``, arrays of the shape and dtype of `x`.
    """
    x = np.asarray(x)
    upstream = np.broadcast_to(np.asarray(upstream), x.shape)
    values = np.empty(x.shape, x.dtype)
    gradients = np.empty(x.shape, x.dtype)
    with np.errstate(all="ignore"):
        for i in np.ndindex(*x.shape):
            number = float(x[i])
            if math.isnan(number):
                value = gradient = math.nan
            elif number > 0:
                value = math.sqrt(number)
                gradient = float(upstream[i]) / (2 * value)
            else:
                value = gradient = 0.0
            values[i] = value
            gradients[i] = gradient
    return values, gradients


def detectors(trace, nodes, allow=()):
    """Return which of three detectors would have seen something in one forward and backward.

    - ``"forward"``: a look at every value of the forward, as `first_invalid` does: it sees any bad
      value that is not an allowed -inf.
    - ``"anomaly"``: PyTorch's anomaly detection: it looks at the gradients that each node of the
      backward gives *out*, and sees NaN alone.
    - ``"node"``: a hook on every node that compares: it sees a node that is given finite gradients
      alone and gives out one that is NaN, +inf or -inf.

    Args:
        trace: As for `first_invalid`.
        nodes: List of ``{"name": text, "incoming": [...], "outgoing": [...]}`` in the order of the
            backward; the lists hold arrays, and None where a gradient is not needed.
        allow: As for `first_invalid`; of no interest to the other two.

    Returns:
        ``{"forward": bool, "anomaly": bool, "node": bool}``.
    """
    anomaly = False
    compare = False
    for node in nodes:
        kinds_in = _kinds_of(node["incoming"])
        kinds_out = _kinds_of(node["outgoing"])
        anomaly = anomaly or "nan" in kinds_out
        compare = compare or (not kinds_in and bool(kinds_out))
    return {
        "forward": first_invalid(trace, allow) is not None,
        "anomaly": anomaly,
        "node": compare,
    }
