"""Unit 8.4, NumPy stage: formats, rounding, what survives it, loss scaling, master weights.

A *format* is three arguments: ``exponent`` and ``mantissa`` (numbers of bits; a sign bit comes on
top) and ``infinity``. With ``infinity=True`` it is built as IEEE 754 says: the highest exponent
means infinity (mantissa 0) or NaN. With ``infinity=False`` the highest exponent holds numbers like
any other, there is no infinity, and only the pattern of all ones is NaN. The bias is
``2**(exponent - 1) - 1`` either way.

| format | exponent | mantissa | infinity |
| --- | --- | --- | --- |
| float32 | 8 | 23 | True |
| float16 | 5 | 10 | True |
| bfloat16 | 8 | 7 | True |
| float8_e5m2 | 5 | 2 | True |
| float8_e4m3fn | 4 | 3 | False |

Functions that take values or bit patterns refuse formats outside 2 to 8 exponent and 1 to 23
mantissa bits with a ValueError; within, a float64 holds every number of the format. The checks
draw formats of their own, so that nothing can be left to a library's types. Arrays may have any
shape, no entry at all, or strides; a list counts as an array; no function changes its arguments.
Only NumPy and the standard library are needed.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral

import numpy as np


def _is_count(n):
    return isinstance(n, (Integral, np.integer)) and not isinstance(n, (bool, np.bool_))


@dataclass(frozen=True)
class Format:
    """Derived integers of a format."""

    exponent: int
    mantissa: int
    infinity: bool

    @property
    def bias(self):
        return 2 ** (self.exponent - 1) - 1

    @property
    def top_pattern(self):
        """Pattern of the largest finite number, without sign."""
        if self.infinity:
            return ((2**self.exponent - 1) << self.mantissa) - 1
        return (1 << (self.exponent + self.mantissa)) - 2

    @property
    def nan_pattern(self):
        return (1 << (self.exponent + self.mantissa)) - 1

    def magnitude(self, pattern):
        """Exact number of a finite pattern without sign: integer and power of two."""
        field, rest = divmod(pattern, 2**self.mantissa)
        if field == 0:
            return rest, 1 - self.bias - self.mantissa
        return 2**self.mantissa + rest, field - self.bias - self.mantissa

    def exact(self, pattern):
        n, e = self.magnitude(pattern)
        return Fraction(n) * Fraction(2) ** e


def _format(exponent, mantissa, infinity, most_exponent=8, most_mantissa=23):
    if not (_is_count(exponent) and _is_count(mantissa)):
        raise ValueError("exponent and mantissa are numbers of bits")
    if not (2 <= exponent <= most_exponent and 1 <= mantissa <= most_mantissa):
        raise ValueError(f"format out of bounds: {exponent} exponent, {mantissa} mantissa bits")
    return Format(int(exponent), int(mantissa), bool(infinity))


def decode(bits, exponent, mantissa, infinity=True):
    """Return the numbers that bit patterns stand for.

    From the highest bit down: sign, exponent field E, mantissa field M. With E = 0 the number is
    ``M * 2**(1 - bias - mantissa)`` (zero and the subnormals), else
    ``(2**mantissa + M) * 2**(E - bias - mantissa)``.

    Args:
        bits: Bit patterns, integers from 0 to ``2**(1 + exponent + mantissa) - 1``.
        exponent: Exponent bits.
        mantissa: Mantissa bits.
        infinity: Whether the format has infinities.

    Returns:
        float64 array of the shape of `bits`. The sign of zero is kept; a NaN is a NaN.

    Raises:
        ValueError: If a pattern is negative or has too many bits, or for a format out of bounds.
    """
    fmt = _format(exponent, mantissa, infinity)
    patterns = np.asarray(bits)
    sign_bit = fmt.exponent + fmt.mantissa
    numbers = []
    for raw in patterns.ravel().tolist():
        pattern = int(raw)
        if pattern != raw or not 0 <= pattern < 1 << (1 + sign_bit):
            raise ValueError(f"no bit pattern of this format: {raw}")
        negative, rest = divmod(pattern, 1 << sign_bit)
        if rest <= fmt.top_pattern:
            size = math.ldexp(*fmt.magnitude(rest))
        elif fmt.infinity and rest == fmt.top_pattern + 1:
            size = math.inf
        else:
            size = math.nan
        numbers.append(-size if negative else size)
    return np.array(numbers, dtype=np.float64).reshape(patterns.shape)


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    """Return the bit patterns of the nearest numbers of a format, ties to the even mantissa.

    A value is rounded once, from its float64 to the format: going through float32 on the way can
    round twice in the same direction. Subnormals are kept; what is nearer to 0 than to the
    smallest subnormal becomes 0 (and half of it is a tie: 0 is even). The sign is kept, that of
    zero too.

    Beyond the largest number, round as if the exponent had no upper end. What is still larger
    than the largest number after that has *overflowed*: infinity of its sign, or NaN where the
    format has no infinity. With `saturate` it becomes the largest number of its sign instead.
    Infinite values count as overflowed. NaN becomes a NaN (any pattern that is one).

    Args:
        values: Numbers; float64 or whatever converts to it without a change.
        exponent: Exponent bits.
        mantissa: Mantissa bits.
        infinity: Whether the format has infinities.
        saturate: Whether overflow gives the largest finite number.

    Returns:
        int64 array of bit patterns of the shape of `values`.

    Raises:
        ValueError: For a format out of bounds.
    """
    fmt = _format(exponent, mantissa, infinity)
    numbers = np.asarray(values, dtype=np.float64)
    if saturate:
        beyond = fmt.top_pattern
    elif fmt.infinity:
        beyond = fmt.top_pattern + 1
    else:
        beyond = fmt.nan_pattern
    lowest = 1 - fmt.bias
    patterns = []
    for x in numbers.ravel().tolist():
        if math.isnan(x):
            patterns.append(fmt.nan_pattern)
            continue
        if math.isinf(x):
            pattern = beyond
        else:
            fraction, power = math.frexp(abs(x))
            whole = int(math.ldexp(fraction, 53))  # abs(x) = whole * 2**(power - 53), exactly
            stretch = max(power - 1, lowest) if whole else lowest
            cut = stretch - fmt.mantissa - (power - 53)  # bits to take off
            if cut <= 0:
                steps = whole << -cut
            elif cut > 60:
                steps = 0
            else:
                steps, rest = divmod(whole, 1 << cut)
                half = 1 << (cut - 1)
                if rest > half or (rest == half and steps % 2 == 1):
                    steps += 1
            # A full mantissa has its leading one in steps, which raises the exponent field by one.
            pattern = ((stretch - lowest) << fmt.mantissa) + steps
            if pattern > fmt.top_pattern:
                pattern = beyond
        if math.copysign(1.0, x) < 0:
            pattern += 1 << (fmt.exponent + fmt.mantissa)
        patterns.append(pattern)
    return np.array(patterns, dtype=np.int64).reshape(numbers.shape)


def round_bf16(x):
    """Round float32 numbers to bfloat16 by integer arithmetic on their bits.

    A bfloat16 is the upper half of a float32, so that rounding is an addition to its 32 bits:
    adding just under half of what is cut off, and one more if the part that stays is odd, carries
    into the upper half exactly when round-to-nearest-even goes up. Infinities pass through that
    unharmed, a NaN need not.

    Args:
        x: float32 array.

    Returns:
        float32 array of the shape of `x`, every value a bfloat16 (lower 16 bits zero): the nearest
        one, ties to even; ±inf beyond the largest; NaN for NaN; the sign of zero kept.

    Raises:
        ValueError: If `x` is not a float32 array (or scalar): a float64 would be rounded twice, a
            float16 has lost its small values already.
    """
    array = np.asarray(x)
    if array.dtype.kind != "f" or array.dtype.itemsize != 4:
        raise ValueError(f"float32 only, not {array.dtype}")
    words = np.array(array, dtype=np.float32, order="C").ravel().view(np.uint32)
    rounded = []
    for word in words.tolist():
        if word & 0x7FFFFFFF > 0x7F800000:
            rounded.append((word & 0x80000000) | 0x7FC00000)
        else:
            odd = (word >> 16) & 1
            rounded.append((word + 0x7FFF + odd) & 0xFFFF0000)
    return np.array(rounded, dtype=np.uint32).view(np.float32).reshape(array.shape)


def format_limits(exponent, mantissa, infinity=True):
    """Return the limits of a format.

    Args:
        exponent: Exponent bits, here from 2 to 11.
        mantissa: Mantissa bits, here from 1 to 52.
        infinity: Whether the format has infinities.

    Returns:
        A dict of numbers, exact:

        - ``"max"``: the largest finite number.
        - ``"smallest_normal"``: the smallest positive number with a full mantissa.
        - ``"smallest_subnormal"``: the smallest positive number.
        - ``"eps"``: distance from 1 to the next larger number. (The formats in which 1 is a
          subnormal do not exist from 2 exponent bits on.)
        - ``"largest_consecutive_integer"``: the largest n such that every integer from 0 to n is a
          number of the format.

    Raises:
        ValueError: For a format out of these bounds.
    """
    fmt = _format(exponent, mantissa, infinity, 11, 52)
    largest = fmt.exact(fmt.top_pattern)
    one = fmt.bias << fmt.mantissa
    return {
        "max": largest,
        "smallest_normal": fmt.exact(1 << fmt.mantissa),
        "smallest_subnormal": fmt.exact(1),
        "eps": fmt.exact(one + 1) - fmt.exact(one),
        "largest_consecutive_integer": min(2 ** (fmt.mantissa + 1), math.floor(largest)),
    }


def ulp(x, exponent, mantissa, infinity=True):
    """Return the spacing of the numbers of a format at x.

    From each power of two to the next the numbers are evenly spaced; at a power of two the spacing
    is that of the numbers above it. Below the smallest normal number, and at 0, it is the smallest
    subnormal. The last stretch goes up to the largest number, that one included.

    Args:
        x: Numbers, float64; they need not be numbers of the format.
        exponent: Exponent bits.
        mantissa: Mantissa bits.
        infinity: Whether the format has infinities.

    Returns:
        float64 array of the shape of `x`, positive; NaN where `x` is NaN or its magnitude is above
        the largest number.

    Raises:
        ValueError: For a format out of bounds.
    """
    fmt = _format(exponent, mantissa, infinity)
    numbers = np.asarray(x, dtype=np.float64)
    largest = float(fmt.exact(fmt.top_pattern))
    spacings = []
    for number in numbers.ravel().tolist():
        size = abs(number)
        if not size <= largest:
            spacings.append(math.nan)
            continue
        stretch = 1 - fmt.bias
        if size > 0:
            stretch = max(stretch, math.frexp(size)[1] - 1)
        spacings.append(math.ldexp(1.0, stretch - fmt.mantissa))
    return np.array(spacings, dtype=np.float64).reshape(numbers.shape)


def survives(values, exponent, mantissa, infinity=True):
    """Say what rounding to a format does to each value.

    Args:
        values: Numbers, float64, a list or a 1-d array.
        exponent: Exponent bits.
        mantissa: Mantissa bits.
        infinity: Whether the format has infinities; overflow does not saturate.

    Returns:
        List of words, one a value:

        - ``"exact"``: it is a number of the format, and so is an infinity if the format has one.
        - ``"overflow"``: it becomes infinite or NaN and was not. (An infinity in a format without
          one is overflow as well.)
        - ``"underflow"``: it becomes 0 and was not.
        - ``"rounded"``: it becomes another number.
        - ``"nan"``: it was NaN.

    Raises:
        ValueError: For a format out of bounds.
    """
    before = np.asarray(values, dtype=np.float64)
    after = decode(encode(before, exponent, mantissa, infinity), exponent, mantissa, infinity)
    words = []
    for old, new in zip(before.ravel().tolist(), after.ravel().tolist(), strict=True):
        if math.isnan(old):
            words.append("nan")
        elif old == new:
            words.append("exact")
        elif not math.isfinite(new):
            words.append("overflow")
        elif new == 0:
            words.append("underflow")
        else:
            words.append("rounded")
    return words


class LossScaler:
    """Dynamic loss scaling, as `torch.amp.GradScaler` does it for one optimizer.

    One iteration: the loss is multiplied by the scale, so that the gradients are too large by it;
    `unscale` divides them again and looks whether they are finite; `step` updates the weights only
    if they all are; `update` adjusts the scale. A non-finite iteration multiplies the scale by
    `backoff_factor` and starts the count of good ones again from 0. The `growth_interval`-th good
    one in a row multiplies it by `growth_factor` and starts the count again, too. The scale is
    kept as a float32; growth that would make it infinite leaves it as it is.

    PyTorch's scaler has no floor: with a loss that is never finite it halves for ever while
    nothing is trained. This one gives up below `floor`.

    Attributes:
        scale: The scale (float).
        growth_tracker: Good iterations in a row since the last change of the scale (int).
    """

    def __init__(
        self,
        init_scale=65536.0,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=2000,
        floor=0.0,
    ):
        """Start with a scale and a growth tracker of 0.

        Raises:
            ValueError: If `init_scale` is not positive and finite, `growth_factor` not above 1,
                `backoff_factor` not between 0 and 1 (both excluded), or `growth_interval` below 1.
        """
        first = float(init_scale)
        if not (0 < first < math.inf):
            raise ValueError("init_scale must be positive and finite")
        with np.errstate(over="ignore", under="ignore"):
            first = float(np.float32(first))
        if not (0 < first < math.inf):
            raise ValueError("init_scale must be positive and finite as a float32")
        if not growth_factor > 1:
            raise ValueError("growth_factor must be above 1")
        if not 0 < backoff_factor < 1:
            raise ValueError("backoff_factor must be between 0 and 1")
        if not growth_interval >= 1:
            raise ValueError("growth_interval must be at least 1")
        self.scale = first
        self.growth_tracker = 0
        self.growth_factor = float(growth_factor)
        self.backoff_factor = float(backoff_factor)
        self.growth_interval = growth_interval
        self.floor = floor
        self._finite = None  # what unscale found in this iteration; None before it
        self._stepped = False

    def scale_loss(self, loss):
        """Return `loss` times the scale."""
        if isinstance(loss, (np.generic, np.ndarray)):
            return loss * np.float32(self.scale)
        return loss * self.scale

    def unscale(self, gradients):
        """Divide gradients by the scale and remember whether they are finite.

        The division is done in float32 also for float16 gradients: what the scale has lifted over
        the edge of float16 would be lost again.

        Args:
            gradients: List of arrays, the gradients of the scaled loss, float16 or float32. An
                empty list, or arrays without an entry, count as finite.

        Returns:
            New list of float32 arrays.

        Raises:
            RuntimeError: If it is called a second time, or after `step`, before `update`.
        """
        if self._stepped:
            raise RuntimeError("unscale after step, before update")
        if self._finite is not None:
            raise RuntimeError("unscale was called already in this iteration")
        divisor = np.float32(self.scale)
        finite = True
        unscaled = []
        for gradient in gradients:
            wide = np.asarray(gradient).astype(np.float32)
            with np.errstate(all="ignore"):
                quotient = np.asarray(wide / divisor, dtype=np.float32)
            for number in quotient.ravel().tolist():
                if not math.isfinite(number):
                    finite = False
                    break
            unscaled.append(quotient)
        self._finite = finite
        return unscaled

    def step(self, gradients, apply):
        """Update the weights, unless the gradients of this iteration are not finite.

        Args:
            gradients: List of arrays. If `unscale` was not called in this iteration, they are the
                gradients of the scaled loss and are unscaled here. If it was, they are used as
                they are (they may have been clipped since), and what `unscale` found counts.
            apply: Function that is called once with the list of unscaled gradients if they are
                finite, and not at all otherwise.

        Returns:
            Whether `apply` was called.

        Raises:
            RuntimeError: If it is called a second time before `update`.
        """
        if self._stepped:
            raise RuntimeError("step was called already in this iteration")
        if self._finite is None:
            gradients = self.unscale(gradients)
        self._stepped = True
        if not self._finite:
            return False
        apply(list(gradients))
        return True

    def update(self):
        """Adjust the scale and get ready for the next iteration; once an iteration.

        It goes by what `unscale` found, so that it may also follow `unscale` without a `step`.

        Returns:
            The new scale.

        Raises:
            RuntimeError: If neither `unscale` nor `step` was called since the last update.
            FloatingPointError: If the new scale is below the floor. The scale stays there.
        """
        if self._finite is None:
            raise RuntimeError("update without unscale or step")
        with np.errstate(over="ignore", under="ignore"):
            if not self._finite:
                self.scale = float(np.float32(self.scale * self.backoff_factor))
                self.growth_tracker = 0
            else:
                self.growth_tracker += 1
                if self.growth_tracker == self.growth_interval:
                    grown = float(np.float32(self.scale * self.growth_factor))
                    if math.isfinite(grown):
                        self.scale = grown
                    self.growth_tracker = 0
        self._finite = None
        self._stepped = False
        if self.scale < self.floor:
            raise FloatingPointError(f"the loss scale {self.scale} is below {self.floor}")
        return self.scale

    def state_dict(self):
        """Return what a resumed run needs: ``{"scale": float, "growth_tracker": int}``."""
        return {"scale": self.scale, "growth_tracker": self.growth_tracker}

    def load_state_dict(self, state):
        """Take over scale and growth tracker from another scaler's `state_dict`."""
        scale, tracker = state["scale"], state["growth_tracker"]
        self.scale = float(np.float32(scale))
        self.growth_tracker = int(tracker)


def sgd_master(weights, gradients, lr, exponent=8, mantissa=7):
    """Train weights of a low-precision format with a float32 master copy, and without one.

    With the master copy, each step is ``master = master - lr * gradient`` in float32, and the
    weights are the master copy rounded to the format (`encode` and `decode`). Without it, each
    step rounds at once: ``plain = rounded(plain - lr * gradient)``, the bracket in float32. Both
    start from the float32 `weights`; the plain ones are rounded before the first step.

    Args:
        weights: Array; float32 whatever its own dtype is.
        gradients: List of arrays of the shape of `weights`, one a step; may be empty.
        lr: Learning rate.
        exponent: Exponent bits of a format with infinities.
        mantissa: Its mantissa bits.

    Returns:
        A dict with

        - ``"master"``: the master copy after the last step, float32.
        - ``"weights"``: the same rounded to the format, float32.
        - ``"plain"``: the weights that were trained without a master copy, float32.
        - ``"lost"``: how many of their updates were lost: entries, counted over all steps, for
          which ``lr * gradient`` was not 0 and the plain weight stayed what it was (int).

    Raises:
        ValueError: If a gradient has another shape, or for a format out of bounds.
    """
    _format(exponent, mantissa, True)
    shape = np.shape(weights)
    for gradient in gradients:
        if np.shape(gradient) != shape:
            raise ValueError(f"a gradient of shape {np.shape(gradient)} for weights {shape}")

    def rounded(array):
        numbers = decode(encode(array, exponent, mantissa), exponent, mantissa)
        return numbers.astype(np.float32)

    rate = np.float32(lr)
    master = np.array(weights, dtype=np.float32)
    plain = rounded(master)
    lost = 0
    for gradient in gradients:
        with np.errstate(all="ignore"):
            change = np.asarray(rate * np.asarray(gradient, dtype=np.float32))
            master = np.asarray(master - change)
            moved = rounded(np.asarray(plain - change))
        for old, new, delta in zip(
            plain.ravel().tolist(), moved.ravel().tolist(), change.ravel().tolist(), strict=True
        ):
            if delta != 0 and old == new:
                lost += 1
        plain = moved
    return {"master": master, "weights": rounded(master), "plain": plain, "lost": lost}


def autocast_forward_bytes(widths, batch):
    """Return the bytes that a forward leaves alive, in float32 and under bfloat16 autocast.

    The model is ``Linear, ReLU, Linear, ..., Linear`` with biases and float32 parameters that need
    gradients; the input, float32, needs none; the loss is the mean cross-entropy of the logits,
    class labels given, computed under autocast like the model. Counted are the bytes of new
    tensors that are alive after the forward and after leaving autocast, while only the loss is
    held: what autograd saved, and the loss. Autograd keeps

    - the output of each ReLU (once, though two nodes use it),
    - the log-probabilities, four bytes a number with and without autocast,
    - under autocast, the bfloat16 copies: that of the input, which the first layer's weight
      gradient needs, and those of the weights of all layers but the first, which the input
      gradients need. The first layer has no input gradient, and no bias is needed by anything.
    - The loss and its total weight, two float32 numbers.

    Args:
        widths: Widths from the input to the logits, at least two.
        batch: Examples.

    Returns:
        A dict of integers:

        - ``"fp32"``, ``"bf16"``: bytes without and with autocast [B].
        - ``"terms"``: ``{"input_copy", "weight_copies", "activations", "log_probabilities",
          "loss"}``, the parts of ``"bf16"`` [B].
        - ``"break_even"``: the smallest batch from 1 on for which autocast needs fewer bytes than
          float32; None if there is none.

    Raises:
        ValueError: If there are fewer than two widths, or a width or the batch is below 1.
    """
    sizes = list(widths)
    if len(sizes) < 2:
        raise ValueError("at least two widths")
    for size in [*sizes, batch]:
        if not _is_count(size) or size < 1:
            raise ValueError(f"widths and batch are counts of at least 1, not {size!r}")
    sizes, batch = [int(size) for size in sizes], int(batch)
    hidden = sum(sizes[1:-1])
    later_weights = 0
    for before, after in zip(sizes[1:], sizes[2:]):
        later_weights += before * after
    terms = {
        "input_copy": 2 * batch * sizes[0],
        "weight_copies": 2 * later_weights,
        "activations": 2 * batch * hidden,
        "log_probabilities": 4 * batch * sizes[-1],
        "loss": 8,
    }
    # Per example: 4 * hidden without, 2 * hidden + 2 * input with autocast; the rest is the same.
    saved_each = 2 * (hidden - sizes[0])
    break_even = None
    if saved_each > 0:
        break_even = max(1, math.floor(Fraction(2 * later_weights, saved_each)) + 1)
    return {
        "fp32": 4 * batch * hidden + terms["log_probabilities"] + terms["loss"],
        "bf16": sum(terms.values()),
        "terms": terms,
        "break_even": break_even,
    }
