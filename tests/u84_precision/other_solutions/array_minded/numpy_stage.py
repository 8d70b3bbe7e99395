"""Formats by integer arithmetic on float64 bits; training with whole arrays."""

import numpy as np

BITS = np.uint64


def _within(exponent, mantissa, exponents, mantissas):
    if exponent not in range(2, exponents + 1) or mantissa not in range(1, mantissas + 1):
        raise ValueError("format")


def decode(bits, exponent, mantissa, infinity=True):
    _within(exponent, mantissa, 8, 23)
    bits = np.array(bits)
    if ((bits < 0) | (bits > 2 ** (1 + exponent + mantissa) - 1)).any():
        raise ValueError("bits")
    bits = bits.astype(BITS)
    sign = bits >> BITS(exponent + mantissa)
    field = (bits >> BITS(mantissa)) & BITS(2**exponent - 1)
    rest = bits & BITS(2**mantissa - 1)
    bias = 2 ** (exponent - 1) - 1
    # build the float64 of a normal number, and take the hidden one of a subnormal off again
    high = np.maximum(field, BITS(1)) + BITS(1023 - bias)
    whole = (high << BITS(52)) | (rest << BITS(52 - mantissa))
    one = high << BITS(52)
    value = whole.view(np.float64) - np.where(field == 0, one.view(np.float64), 0.0)
    top = field == 2**exponent - 1
    if infinity:
        value = np.where(top, np.where(rest == 0, np.inf, np.nan), value)
    else:
        value = np.where(top & (rest == 2**mantissa - 1), np.nan, value)
    return np.copysign(value, np.where(sign == 1, -1.0, 1.0))


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    _within(exponent, mantissa, 8, 23)
    values = np.array(values, dtype=np.float64)
    bias = 2 ** (exponent - 1) - 1
    size = np.abs(values)
    # adding and taking away 1.5 * 2**52 spacings rounds to a multiple of the spacing
    floor = 2.0 ** (1 - bias)
    safe = np.where(np.isfinite(size), np.minimum(size, 2.0**200), 0.0)
    bits = np.maximum(safe, floor).view(BITS)
    power = ((bits >> BITS(52)) << BITS(52)).view(np.float64)
    magic = power * 2.0**-mantissa * 1.5 * 2.0**52
    near = (safe + magic) - magic
    bits = np.maximum(near, floor).view(BITS)
    power = ((bits >> BITS(52)) << BITS(52)).view(np.float64)
    stretch = (bits >> BITS(52)).astype(np.int64) - 1023 + bias - 1
    codes = stretch * 2**mantissa + (near / power * 2**mantissa).astype(np.int64)
    top = 2 ** (exponent + mantissa) - (2**mantissa if infinity else 1)
    codes = np.where((codes >= top) | np.isinf(size), top - 1 if saturate else top, codes)
    codes = np.where(np.isnan(values), 2 ** (exponent + mantissa) - 1, codes)
    return codes | np.where(np.signbit(values), 2 ** (exponent + mantissa), 0)


def round_bf16(x):
    if getattr(x, "dtype", None) != np.float32:
        raise ValueError("float32 is needed")
    bits = np.array(x, copy=True).view(np.uint32)
    low, high = bits & np.uint32(0xFFFF), bits >> np.uint32(16)
    up = (low > 0x8000) | ((low == 0x8000) & (high % 2 == 1))
    rounded = ((high + up.astype(np.uint32)) << np.uint32(16)).view(np.float32)
    return np.where(np.isnan(x), np.float32(np.nan), rounded)


def format_limits(exponent, mantissa, infinity=True):
    _within(exponent, mantissa, 11, 52)
    bias = 2 ** (exponent - 1) - 1
    eps = np.ldexp(1.0, -mantissa)
    top = (2 ** (mantissa + 1) - 2) << max(bias + 1 - mantissa, 0)
    if infinity or bias < 1023:
        top = np.ldexp(2 - eps if infinity else 2 - 2 * eps, bias if infinity else bias + 1)
    tiny = np.ldexp(1.0, 1 - bias)
    return {
        "max": top,
        "smallest_normal": tiny,
        "smallest_subnormal": np.ldexp(eps, 1 - bias),
        "eps": eps,
        "largest_consecutive_integer": np.int64(min(2 ** (mantissa + 1), int(top))),
    }


def ulp(x, exponent, mantissa, infinity=True):
    _within(exponent, mantissa, 8, 23)
    limits = format_limits(exponent, mantissa, infinity)
    size = np.abs(np.array(x, dtype=np.float64))
    size = np.where(size <= limits["max"], size, np.nan)
    stretch = np.maximum(size, limits["smallest_normal"])
    return np.spacing(stretch) * 2.0 ** (52 - mantissa)


def survives(values, exponent, mantissa, infinity=True):
    before = np.array(values, dtype=np.float64)
    after = decode(encode(before, exponent, mantissa, infinity), exponent, mantissa, infinity)
    words = np.select(
        [np.isnan(before), after == before, ~np.isfinite(after), after == 0],
        ["nan", "exact", "overflow", "underflow"],
        "rounded",
    )
    return words.tolist()


class LossScaler:
    def __init__(
        self,
        init_scale=2.0**16,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=2000,
        floor=0,
    ):
        sound = (
            np.isfinite(init_scale),
            init_scale > 0,
            growth_factor > 1,
            0 < backoff_factor < 1,
            growth_interval >= 1,
        )
        if not all(sound):
            raise ValueError("settings")
        self.scale = np.float32(init_scale)
        self.growth_tracker = np.int64(0)
        self.settings = growth_factor, backoff_factor, growth_interval, floor
        self.phase, self.bad = "ready", None

    def scale_loss(self, loss):
        return float(self.scale) * loss

    def unscale(self, gradients):
        if self.phase != "ready":
            raise RuntimeError("twice")
        self.phase = "unscaled"
        wide = [np.asarray(g, dtype=np.float32) for g in gradients]
        self.bad = any(not np.isfinite(g).all() for g in wide)
        with np.errstate(all="ignore"):
            return [g * (np.float32(1) / self.scale) for g in wide]

    def step(self, gradients, apply):
        if self.phase == "stepped":
            raise RuntimeError("twice")
        mine = self.unscale(gradients) if self.phase == "ready" else gradients
        self.phase = "stepped"
        if not self.bad:
            apply(mine)
        return not self.bad

    def update(self):
        if self.phase == "ready":
            raise RuntimeError("nothing to go by")
        self.phase = "ready"
        growth, backoff, interval, floor = self.settings
        self.growth_tracker = np.int64(0 if self.bad else self.growth_tracker + 1)
        if self.bad:
            self.scale = np.float32(self.scale * backoff)
        if self.growth_tracker == interval:
            self.growth_tracker = np.int64(0)
            with np.errstate(over="ignore"):
                larger = np.float32(np.float64(self.scale) * growth)
            self.scale = larger if np.isfinite(larger) else self.scale
        if self.scale < floor:
            raise FloatingPointError("floor")
        return self.scale

    def state_dict(self):
        return {"scale": float(self.scale), "growth_tracker": int(self.growth_tracker)}

    def load_state_dict(self, state):
        self.scale = np.float32(state["scale"])
        self.growth_tracker = np.int64(state["growth_tracker"])


def sgd_master(weights, gradients, lr, exponent=8, mantissa=7):
    _within(exponent, mantissa, 8, 23)
    start = np.asarray(weights).astype(np.float32)
    if any(np.shape(g) != start.shape for g in gradients):
        raise ValueError("shape")

    def narrow(v):
        return decode(encode(v, exponent, mantissa), exponent, mantissa).astype("f4")

    changes = np.float32(lr) * np.array(gradients, dtype=np.float32).reshape(
        len(gradients), *start.shape
    )
    plain, history = narrow(start), []
    for change in changes:
        history.append(plain)
        plain = narrow(plain - change)
    after = np.array([*history[1:], plain]) if history else np.zeros((0, *start.shape))
    stuck = (np.array(history).reshape(after.shape) == after) & (changes != 0)
    master = start.copy()
    for change in changes:
        master -= change
    return {"master": master, "weights": narrow(master), "plain": plain, "lost": stuck.sum()}


def autocast_forward_bytes(widths, batch):
    w = np.array(widths, dtype=np.int64)
    if len(w) < 2 or (w < 1).any() or batch < 1:
        raise ValueError("sizes")
    copies = (w[1:-1] * w[2:]).sum() * 2
    hidden = w[1:-1].sum()
    terms = {
        "input_copy": batch * w[0] * 2,
        "weight_copies": copies,
        "activations": batch * hidden * 2,
        "log_probabilities": batch * w[-1] * 4,
        "loss": np.int64(4 + 4),
    }
    per_example = 2 * (hidden - w[0])
    return {
        "fp32": 4 * batch * (hidden + w[-1]) + 8,
        "bf16": np.sum(list(terms.values())),
        "terms": terms,
        "break_even": int(copies // per_example) + 1 if per_example > 0 else None,
    }
