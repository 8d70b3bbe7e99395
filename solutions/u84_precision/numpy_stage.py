"""Unit 8.4, NumPy stage: formats, rounding, what survives it, loss scaling, master weights.

A *format* is three arguments: ``exponent`` and ``mantissa`` (numbers of bits; a sign bit comes on
top) and ``infinity``. With ``infinity=True`` it is built as IEEE 754 says: the highest exponent
means infinity (mantissa 0) or NaN. With ``infinity=False`` the highest exponent holds numbers like
any other, there is no infinity, and only the two patterns whose bits below the sign are all ones
are NaN. The bias is ``2**(exponent - 1) - 1`` either way.

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
from itertools import pairwise

import numpy as np

# region hidden


def _checked(exponent, mantissa, most_exponent=8, most_mantissa=23):
    """Return bias and smallest exponent of a format that is within bounds."""
    if not (2 <= exponent <= most_exponent and 1 <= mantissa <= most_mantissa):
        raise ValueError(f"no format of {exponent} exponent and {mantissa} mantissa bits")
    bias = 2 ** (exponent - 1) - 1
    return bias, 1 - bias


def _largest_code(exponent, mantissa, infinity):
    """Return the bit pattern of the largest finite number."""
    if infinity:
        return (2**exponent - 1) * 2**mantissa - 1
    return 2 ** (exponent + mantissa) - 2


def _binade(magnitudes, smallest_exponent):
    """Return the exponent that the spacing goes by at each finite magnitude."""
    _, exponents = np.frexp(magnitudes)
    return np.where(
        magnitudes == 0, smallest_exponent, np.maximum(exponents - 1, smallest_exponent)
    )


# endregion


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
    # region 8.4.a
    bias, _ = _checked(exponent, mantissa)
    codes = np.asarray(bits)
    if codes.size and (codes.min() < 0 or codes.max() >= 2 ** (1 + exponent + mantissa)):
        raise ValueError(f"bit patterns have {1 + exponent + mantissa} bits")
    codes = codes.astype(np.int64)
    body = codes & (2 ** (exponent + mantissa) - 1)
    field, fraction = body >> mantissa, body & (2**mantissa - 1)
    whole = np.where(field > 0, 2**mantissa, 0) + fraction
    values = np.ldexp(whole.astype(np.float64), np.maximum(field, 1) - bias - mantissa)
    largest = _largest_code(exponent, mantissa, infinity)
    if infinity:
        values = np.where(body == largest + 1, np.inf, values)
        values = np.where(body > largest + 1, np.nan, values)
    else:
        values = np.where(body > largest, np.nan, values)
    return np.where(codes >> (exponent + mantissa) > 0, -values, values)
    # endregion


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    """Return the bit patterns of the nearest numbers of a format, ties to the even mantissa.

    A value is rounded once, from its float64 to the format: going through float32 on the way can
    round twice in the same direction. Subnormals are kept; what is nearer to 0 than to the
    smallest subnormal becomes 0 (and half of it is a tie: 0 is even). The sign is kept, that of
    zero too.

    Beyond the largest number, round as if the exponent had no upper end. What is still larger
    than the largest number after that has *overflowed*: infinity of its sign, or NaN where the
    format has no infinity. With `saturate` it becomes the largest number of its sign instead.
    Infinite values count as overflowed. NaN has not: it becomes a NaN (any pattern that is one),
    with `saturate` as well.

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
    # region 8.4.b
    _, lowest = _checked(exponent, mantissa)
    values = np.asarray(values, dtype=np.float64)
    magnitudes = np.abs(values)
    finite = np.isfinite(values)
    safe = np.where(finite, magnitudes, 0.0)
    binade = _binade(safe, lowest)
    # exact: only the exponent changes; rint rounds ties to even
    steps = np.rint(np.ldexp(safe, mantissa - binade))
    # the largest float64 has an exponent that fits easily in int64 beside the mantissa
    codes = (binade - lowest).astype(np.int64) * 2**mantissa + steps.astype(np.int64)
    largest = _largest_code(exponent, mantissa, infinity)
    over = (codes > largest) | np.isinf(values)
    codes = np.where(over, largest if saturate else largest + 1, codes)
    codes = np.where(np.isnan(values), 2 ** (exponent + mantissa) - 1, codes)
    return codes + np.where(np.signbit(values), 2 ** (exponent + mantissa), 0)
    # endregion


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
    # region 8.4.c
    x = np.asarray(x)
    if x.dtype != np.float32:
        raise ValueError(f"round_bf16 takes float32, not {x.dtype}")
    bits = x.copy().reshape(-1).view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    # a NaN may wrap round here; it is put right below
    rounded = (bits + np.uint32(0x7FFF) + odd) & np.uint32(0xFFFF0000)
    rounded = np.where(np.isnan(x).reshape(-1), np.uint32(0x7FC00000), rounded)
    return rounded.view(np.float32).reshape(x.shape)
    # endregion


def format_limits(exponent, mantissa, infinity=True):
    """Return the limits of a format.

    Args:
        exponent: Exponent bits, here from 2 to 11.
        mantissa: Mantissa bits, here from 1 to 52.
        infinity: Whether the format has infinities.

    Returns:
        A dict of numbers, exact. (With 11 exponent bits and no infinity no float is large enough
        for the largest; whether an int or something else comes then is not looked at, but the
        other four are numbers as ever.)

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
    # region 8.4.d
    bias, lowest = _checked(exponent, mantissa, 11, 52)
    if infinity:
        largest = math.ldexp(2 ** (mantissa + 1) - 1, bias - mantissa)
    else:
        digits, power = 2 ** (mantissa + 1) - 2, bias + 1 - mantissa
        # no float goes beyond 1023, the highest exponent of a float64
        largest = digits << power if bias >= 1023 else math.ldexp(digits, power)
    return {
        "max": largest,
        "smallest_normal": math.ldexp(1.0, lowest),
        "smallest_subnormal": math.ldexp(1.0, lowest - mantissa),
        "eps": math.ldexp(1.0, -mantissa),
        "largest_consecutive_integer": min(2 ** (mantissa + 1), math.floor(largest)),
    }
    # endregion


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
    # region 8.4.e
    _, lowest = _checked(exponent, mantissa)
    magnitudes = np.abs(np.asarray(x, dtype=np.float64))
    inside = magnitudes <= format_limits(exponent, mantissa, infinity)["max"]
    # frexp, not log2: the logarithm of a number just under a power of two rounds to a whole one
    spacing = np.ldexp(1.0, _binade(np.where(inside, magnitudes, 0.0), lowest) - mantissa)
    return np.where(inside, spacing, np.nan)
    # endregion


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
    # region 8.4.f
    values = np.asarray(values, dtype=np.float64)
    rounded = decode(encode(values, exponent, mantissa, infinity), exponent, mantissa, infinity)

    def word(before, after):
        if math.isnan(before):
            return "nan"
        if before == after:
            return "exact"
        if not math.isfinite(after):
            return "overflow"
        return "underflow" if after == 0 else "rounded"

    return [word(before, after) for before, after in zip(values, rounded, strict=True)]
    # endregion


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
        # region 8.4.g
        if not (0 < init_scale < math.inf and growth_factor > 1 and 0 < backoff_factor < 1):
            raise ValueError(f"no scaler with {init_scale}, {growth_factor}, {backoff_factor}")
        if growth_interval < 1:
            raise ValueError(f"growth interval {growth_interval}")
        self.scale = float(np.float32(init_scale))
        self.growth_tracker = 0
        self._growth, self._backoff = growth_factor, backoff_factor
        self._interval, self._floor = growth_interval, floor
        self._unscaled = self._stepped = self._found = False
        # endregion

    def scale_loss(self, loss):
        """Return `loss` times the scale."""
        # region 8.4.g
        return loss * self.scale
        # endregion

    def unscale(self, gradients):
        """Divide gradients by the scale and remember whether they are finite.

        The division is done in float32 also for float16 gradients: what the scale has lifted over
        the edge of float16 would be lost again. Whether they are finite may be looked at before the
        division or after it.

        Args:
            gradients: List of arrays, the gradients of the scaled loss, float16 or float32. An
                empty list, or arrays without an entry, count as finite.

        Returns:
            New list of float32 arrays.

        Raises:
            RuntimeError: If it is called a second time, or after `step`, before `update`.
        """
        # region 8.4.g
        if self._unscaled or self._stepped:
            raise RuntimeError("these gradients are unscaled already: update() comes first")
        self._unscaled = True
        gradients = [np.asarray(gradient) for gradient in gradients]
        self._found = not all(np.isfinite(gradient).all() for gradient in gradients)
        with np.errstate(invalid="ignore", over="ignore"):
            return [g.astype(np.float32) / np.float32(self.scale) for g in gradients]
        # endregion

    def step(self, gradients, apply):
        """Update the weights, unless the gradients of this iteration are not finite.

        Args:
            gradients: List of arrays. If `unscale` was not called in this iteration, they are the
                gradients of the scaled loss and are unscaled here. If it was, they are used as
                they are (they may have been clipped since), and what `unscale` found counts: as
                in torch nobody looks at them again.
            apply: Function that is called once with the list of unscaled gradients if they were
                found finite, and not at all otherwise.

        Returns:
            Whether `apply` was called.

        Raises:
            RuntimeError: If it is called a second time before `update`.
        """
        # region 8.4.g
        if self._stepped:
            raise RuntimeError("step() was called already: update() comes first")
        if not self._unscaled:
            gradients = self.unscale(gradients)
        self._stepped = True
        if self._found:
            return False
        apply(gradients)
        return True
        # endregion

    def update(self):
        """Adjust the scale and get ready for the next iteration; once an iteration.

        It goes by what `unscale` found, so that it may also follow `unscale` without a `step`.

        Returns:
            The new scale.

        Raises:
            RuntimeError: If neither `unscale` nor `step` was called since the last update.
            FloatingPointError: If the new scale is below the floor. `scale` has the new value then.
        """
        # region 8.4.g
        if not (self._unscaled or self._stepped):
            raise RuntimeError("nothing was looked at since the last update")
        found, self._unscaled, self._stepped, self._found = self._found, False, False, False
        if found:
            self.scale = float(np.float32(self.scale * self._backoff))
            self.growth_tracker = 0
        else:
            self.growth_tracker += 1
            if self.growth_tracker == self._interval:
                self.growth_tracker = 0
                with np.errstate(over="ignore"):
                    grown = float(np.float32(self.scale * self._growth))
                self.scale = grown if math.isfinite(grown) else self.scale
        if self.scale < self._floor:
            raise FloatingPointError(f"the loss scale fell to {self.scale}: find the first inf")
        return self.scale
        # endregion

    def state_dict(self):
        """Return what a resumed run needs: ``{"scale": float, "growth_tracker": int}``.

        It is a dict of its own, which stays what it is when the scaler goes on.
        """
        # region 8.4.g
        return {"scale": self.scale, "growth_tracker": self.growth_tracker}
        # endregion

    def load_state_dict(self, state):
        """Take over scale and growth tracker from another scaler's `state_dict`.

        The dict is left as it is. Both scalers were made with the same settings, so that the
        tracker is below the interval.
        """
        # region 8.4.g
        self.scale = float(state["scale"])
        self.growth_tracker = int(state["growth_tracker"])
        # endregion


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
    # region 8.4.h
    _checked(exponent, mantissa)

    def rounded(values):
        codes = encode(values, exponent, mantissa)
        return decode(codes, exponent, mantissa).astype(np.float32)

    master = np.array(weights, dtype=np.float32)
    plain, lost = rounded(master), 0
    for gradient in gradients:
        change = np.float32(lr) * np.asarray(gradient, dtype=np.float32)
        if change.shape != master.shape:
            raise ValueError(f"a gradient of shape {change.shape} for weights of {master.shape}")
        moved = rounded(plain - change)
        lost += int(np.count_nonzero((change != 0) & (moved == plain)))
        master, plain = master - change, moved
    return {"master": master, "weights": rounded(master), "plain": plain, "lost": lost}
    # endregion


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
    # region 8.4.i
    widths = [int(width) for width in widths]
    if len(widths) < 2 or min(widths) < 1 or batch < 1:
        raise ValueError(f"no forward of {batch} examples through {widths}")
    first, *hidden, classes = widths
    copies = sum(a * b for a, b in pairwise(widths[1:]))
    terms = {
        "input_copy": 2 * batch * first,
        "weight_copies": 2 * copies,
        "activations": 2 * batch * sum(hidden),
        "log_probabilities": 4 * batch * classes,
        "loss": 8,
    }
    gained = sum(hidden) - first
    return {
        "fp32": 2 * terms["activations"] + terms["log_probabilities"] + terms["loss"],
        "bf16": sum(terms.values()),
        "terms": terms,
        "break_even": copies // gained + 1 if gained > 0 else None,
    }
    # endregion
