"""One number at a time, with fractions, struct and dictionaries."""

import math
import struct
from fractions import Fraction

import numpy as np


def _bounded(exponent, mantissa, e=8, m=23):
    if exponent < 2 or exponent > e or mantissa < 1 or mantissa > m:
        raise ValueError((exponent, mantissa))


def _each(function, values):
    array = np.asarray(values)
    return np.array([function(v) for v in array.ravel().tolist()]).reshape(array.shape)


def _one(code, e, m, infinity):
    sign = -1.0 if code >> (e + m) else 1.0
    field, rest = (code >> m) % 2**e, code % 2**m
    bias = 2 ** (e - 1) - 1
    if field == 2**e - 1:
        if infinity:
            return sign * (math.nan if rest else math.inf)
        if rest == 2**m - 1:
            return math.nan
    if field == 0:
        return sign * math.ldexp(rest, 1 - bias - m)
    return sign * math.ldexp(2**m + rest, field - bias - m)


def decode(bits, exponent, mantissa, infinity=True):
    _bounded(exponent, mantissa)
    limit = 1 << (1 + exponent + mantissa)

    def one(code):
        if not 0 <= code < limit:
            raise ValueError(code)
        return _one(code, exponent, mantissa, infinity)

    return _each(one, bits).astype(float)


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    _bounded(exponent, mantissa)
    bias = 2 ** (exponent - 1) - 1
    sign_bit = 1 << (exponent + mantissa)
    first_not = sign_bit - (2**mantissa if infinity else 1)

    def one(value):
        value = float(value)
        sign = sign_bit if math.copysign(1, value) < 0 else 0
        if math.isnan(value):
            return sign | (sign_bit - 1)
        if math.isinf(value):
            code = first_not
        else:
            _, power = math.frexp(abs(value))
            power = max(power - 1, 1 - bias) if value else 1 - bias
            marks = round(Fraction(abs(value)) * Fraction(2) ** (mantissa - power))
            code = (power - 1 + bias) * 2**mantissa + marks
        if code >= first_not:
            code = first_not - 1 if saturate else first_not
        return sign | code

    return _each(one, values).astype(np.int64)


def round_bf16(x):
    if not isinstance(x, np.ndarray | np.generic) or x.dtype != np.float32:
        raise ValueError("not float32")

    def one(value):
        if math.isnan(value):
            return value
        (bits,) = struct.unpack("<I", struct.pack("<f", value))
        half, rest = divmod(bits, 1 << 16)
        if rest * 2 > 1 << 16 or (rest * 2 == 1 << 16 and half & 1):
            half += 1
        return struct.unpack("<f", struct.pack("<I", half << 16))[0]

    return _each(one, x).astype(np.float32)


def format_limits(exponent, mantissa, infinity=True):
    _bounded(exponent, mantissa, 11, 52)
    bias = 2 ** (exponent - 1) - 1
    step = Fraction(1, 2**mantissa)
    top = (2 - step) * 2**bias if infinity else (2 - 2 * step) * 2 ** (bias + 1)
    count = 2 ** (mantissa + 1)
    return {
        "max": float(top) if top < 2**1024 else int(top),
        "smallest_normal": float(Fraction(2) ** (1 - bias)),
        "smallest_subnormal": float(step * Fraction(2) ** (1 - bias)),
        "eps": float(step),
        "largest_consecutive_integer": count if count <= top else int(top),
    }


def ulp(x, exponent, mantissa, infinity=True):
    _bounded(exponent, mantissa)
    limits = format_limits(exponent, mantissa, infinity)

    def one(value):
        value = abs(float(value))
        if not value <= limits["max"]:
            return math.nan
        power = limits["smallest_normal"]
        while power * 2 <= value:
            power *= 2
        return power * limits["eps"]

    return _each(one, x).astype(float)


def survives(values, exponent, mantissa, infinity=True):
    _bounded(exponent, mantissa)
    words = []
    for value in map(float, values):
        code = int(encode([value], exponent, mantissa, infinity)[0])
        after = _one(code, exponent, mantissa, infinity)
        if math.isnan(value):
            words.append("nan")
        elif after == value:
            words.append("exact")
        elif not math.isfinite(after):
            words.append("overflow")
        elif after == 0:
            words.append("underflow")
        else:
            words.append("rounded")
    return tuple(words)


class LossScaler:
    def __init__(self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5,
                 growth_interval=2000, floor=0.0):  # fmt: skip
        if not init_scale > 0 or init_scale == math.inf or not growth_factor > 1:
            raise ValueError("scale or growth")
        if not 0 < backoff_factor < 1 or growth_interval < 1:
            raise ValueError("backoff or interval")
        self.scale, self.growth_tracker = float(init_scale), 0
        self.growth, self.backoff = growth_factor, backoff_factor
        self.interval, self.floor = growth_interval, floor
        self.good = None
        self.stepped = False

    def scale_loss(self, loss):
        return loss * self.scale

    def unscale(self, gradients):
        if self.good is not None:
            raise RuntimeError("unscaled already")
        self.good = True
        result = []
        for gradient in gradients:
            wide = np.array(gradient, dtype=np.float64)
            self.good = self.good and all(math.isfinite(v) for v in wide.ravel().tolist())
            result.append((wide / self.scale).astype(np.float32))
        return result

    def step(self, gradients, apply):
        if self.stepped:
            raise RuntimeError("stepped already")
        if self.good is None:
            gradients = self.unscale(gradients)
        self.stepped = True
        if self.good:
            apply(gradients)
        return self.good

    def update(self):
        if self.good is None:
            raise RuntimeError("nothing was unscaled")
        good, self.good, self.stepped = self.good, None, False
        if not good:
            self.scale, self.growth_tracker = self.scale * self.backoff, 0
        elif self.growth_tracker + 1 < self.interval:
            self.growth_tracker += 1
        else:
            self.growth_tracker = 0
            if self.scale * self.growth <= float(np.finfo(np.float32).max):
                self.scale *= self.growth
        if self.scale < self.floor:
            raise FloatingPointError(self.scale)
        return self.scale

    def state_dict(self):
        return {"scale": self.scale, "growth_tracker": self.growth_tracker}

    def load_state_dict(self, state):
        self.scale, self.growth_tracker = state["scale"], state["growth_tracker"]


def sgd_master(weights, gradients, lr, exponent=8, mantissa=7):
    _bounded(exponent, mantissa)
    start = np.asarray(weights, dtype=np.float32)

    def narrow(value):
        return _one(int(encode(float(value), exponent, mantissa)), exponent, mantissa, True)

    def back(flat):
        return np.array(flat, dtype=np.float32).reshape(start.shape)

    master = [np.float32(v) for v in start.ravel()]
    plain = [narrow(v) for v in master]
    lost = 0
    for given in gradients:
        gradient = np.asarray(given, dtype=np.float32)
        if gradient.shape != start.shape:
            raise ValueError(gradient.shape)
        for place, entry in enumerate(gradient.ravel()):
            change = np.float32(lr) * entry
            master[place] = master[place] - change
            moved = narrow(np.float32(plain[place]) - change)
            lost += bool(change) and moved == plain[place]
            plain[place] = moved
    return {
        "master": back(master),
        "weights": back([narrow(v) for v in master]),
        "plain": back(plain),
        "lost": lost,
    }


def autocast_forward_bytes(widths, batch):
    if len(widths) < 2 or any(w < 1 for w in widths) or batch < 1:
        raise ValueError(widths)

    def terms(size):
        return {
            "input_copy": 2 * size * widths[0],
            "weight_copies": sum(2 * widths[i] * widths[i + 1] for i in range(1, len(widths) - 1)),
            "activations": sum(2 * size * w for w in widths[1:-1]),
            "log_probabilities": 4 * size * widths[-1],
            "loss": 8,
        }

    def both(size):
        parts = terms(size)
        return parts["activations"] * 2 + parts["log_probabilities"] + 8, sum(parts.values())

    even = None
    if sum(widths[1:-1]) > widths[0]:
        even = 1
        while both(even)[1] >= both(even)[0]:
            even += 1
    fp32, bf16 = both(batch)
    return {"fp32": fp32, "bf16": bf16, "terms": terms(batch), "break_even": even}
