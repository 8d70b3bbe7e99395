"""Unit 8.5, NumPy stage: where an invalid value is born, and formulas that do not make one.

A value is *bad* if it is NaN, +inf or -inf; a *kind* is the text ``"nan"``, ``"+inf"`` or
``"-inf"``. Arrays have any shape, also one without dimensions or without entries, and any strides;
nothing is changed in place, and NumPy's error state (`np.geterr`, `np.geterrcall`) is left as it
was, also when something raises. An index is a tuple with one integer for each dimension. Only NumPy
and the standard library are needed.
"""

import numpy as np

KINDS = ("divide", "invalid", "overflow", "propagated", "underflow", "fine")


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
        One of the six words. An error that `op` itself raises is passed on.
    """
    raise NotImplementedError("8.5.a")


def softmax(x, axis=-1, keep=None):
    """Return ``exp(x) / sum(exp(x))`` along an axis, right for scores of any size.

    Entries that are not kept take no part: their result is exactly 0, whatever they hold, NaN
    included. A -inf that is kept has the result 0 as well. A row of which nothing is left, because
    nothing is kept or all that is kept is -inf, is all zeros: that is what fused attention gives a
    query that may see no key, and its NaN would reach the loss of every other row. A kept NaN or
    +inf makes all that is kept of its row NaN, a -inf too: it is not hidden.

    Unless a kept entry is NaN or +inf, no warning is raised.

    Args:
        x: Scores; float16, float32, float64, or integers.
        axis: Along which the results sum to 1.
        keep: Booleans that broadcast to the shape of `x`: an array, a list or one for all; None
            keeps all.

    Returns:
        Array of the shape of `x` and its dtype (float64 for integers), each entry within a few
        rounding errors of that dtype, also where the sum does not fit it.

    Raises:
        ValueError: If `keep` is not boolean: an additive mask was handed in.
    """
    raise NotImplementedError("8.5.b")


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
    raise NotImplementedError("8.5.c")


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
    raise NotImplementedError("8.5.d")


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
    raise NotImplementedError("8.5.e")


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
    raise NotImplementedError("8.5.f")


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
    raise NotImplementedError("8.5.g")
