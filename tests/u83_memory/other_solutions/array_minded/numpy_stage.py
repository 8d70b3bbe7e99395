"""Unit 8.3, NumPy stage, with arrays and event lists."""

# ruff: noqa
# left as a student would hand it in

from decimal import Decimal, InvalidOperation, localcontext

import numpy as np

MIB = 1 << 20
SCALE = dict(zip("kMGT", range(1, 5), strict=True))


def _whole(x, low=0):
    if isinstance(x, bool | np.bool_) or not isinstance(x, int | np.integer) or x < low:
        raise ValueError(f"not a count: {x!r}")
    return int(x)


def to_bytes(size):
    if not isinstance(size, str):
        return _whole(size)
    text = size.strip()
    if not text.endswith("B"):
        raise ValueError(size)
    text = text[:-1]
    factor = 1
    if text.endswith("i"):
        if text[-2:-1] not in ("K", "M", "G", "T"):
            raise ValueError(size)
        factor = 1024 ** "KMGT".index(text[-2]) * 1024
        text = text[:-2]
    elif text and text[-1] in SCALE:
        factor = 1000 ** SCALE[text[-1]]
        text = text[:-1]
    text = text.strip()
    if not text or not set(text) <= set("0123456789.eE+-"):
        raise ValueError(size)
    with localcontext(prec=200):
        try:
            value = Decimal(text) * factor
        except InvalidOperation:
            raise ValueError(size) from None
        if value < 0 or text.startswith("-"):
            raise ValueError(size)
        return int(value.to_integral_value())


def round_size(nbytes):
    return (_whole(nbytes) + 511) // 512 * 512


def segment_size(nbytes):
    block = round_size(nbytes)
    steps = np.array([0, MIB, 10 * MIB - 512], dtype=np.int64)
    kind = int(np.searchsorted(steps, min(block, 10 * MIB)))
    return (0, 2 * MIB, 20 * MIB, (block + 2 * MIB - 1) // (2 * MIB) * 2 * MIB)[kind]


class CachingAllocator:
    """All blocks of all segments in parallel lists, by rows of segment, offset, size and owner."""

    NAMES = ("requested", "allocated", "reserved", "inactive_split", "largest_free")

    def __init__(self, capacity=None):
        self.capacity = float("inf") if capacity is None else _whole(capacity)
        self.rows = np.zeros((0, 5), dtype=np.int64)  # segment, offset, size, requested, handle
        self.big = {}
        self.count = self.segments = 0
        self.empty = set()
        self.top = np.zeros(2, dtype=np.int64)

    def _now(self):
        used = self.rows[:, 4] > 0
        return np.array([self.rows[used, 2].sum(), self.rows[:, 2].sum()], dtype=np.int64)

    def malloc(self, nbytes):
        size = round_size(nbytes)
        self.count += 1
        if not size:
            self.empty.add(self.count)
            return self.count
        large = size > MIB
        free = [i for i, row in enumerate(self.rows)
                if not row[4] and row[2] >= size and self.big[int(row[0])] == large]  # fmt: skip
        if free:
            order = np.lexsort((self.rows[free, 1], self.rows[free, 0], self.rows[free, 2]))
            at = free[int(order[0])]
        else:
            new = segment_size(nbytes)
            if self._now()[1] + new > self.capacity:
                self.empty_cache()
            if self._now()[1] + new > self.capacity:
                self.count -= 1
                raise MemoryError
            self.segments += 1
            self.big[self.segments] = large
            self.rows = np.vstack([self.rows, [self.segments, 0, new, 0, 0]])
            at = len(self.rows) - 1
        rest = int(self.rows[at, 2]) - size
        if rest > MIB if large else rest >= 512:
            tail = [self.rows[at, 0], self.rows[at, 1] + size, rest, 0, 0]
            self.rows = np.insert(self.rows, at + 1, tail, axis=0)
            self.rows[at, 2] = size
        self.rows[at, 3:] = int(nbytes), self.count
        self.top = np.maximum(self.top, self._now())
        return self.count

    def free(self, handle):
        if handle in self.empty:
            self.empty.remove(handle)
            return
        where = np.flatnonzero(self.rows[:, 4] == handle)
        if not len(where) or handle < 1:
            raise ValueError(handle)
        self.rows[where[0], 3:] = 0
        keep = []
        for row in self.rows:
            if keep and keep[-1][0] == row[0] and not keep[-1][4] and not row[4]:
                keep[-1][2] += row[2]
            else:
                keep.append(row.copy())
        self.rows = np.array(keep)

    def empty_cache(self):
        living = set(self.rows[self.rows[:, 4] > 0, 0].tolist())
        self.rows = self.rows[[int(s) in living for s in self.rows[:, 0]]].reshape(-1, 5)

    def reset_peak(self):
        self.top = self._now()

    def stats(self):
        used = self.rows[:, 4] > 0
        pinned = np.isin(self.rows[:, 0], self.rows[used, 0]) & ~used
        values = [self.rows[:, 3].sum(), *self._now(), self.rows[pinned, 2].sum(),
                  self.rows[~used, 2].max(initial=0)]  # fmt: skip
        return dict(zip(self.NAMES, values, strict=True)) | {
            "peak_allocated": self.top[0],
            "peak_reserved": self.top[1],
        }


TABLE = {
    "fp32": (4, 4, 4, 4, 2, 0, 4),
    "autocast": (4, 4, 2, 4, 2, 0, 4),
    "bf16": (2, 2, 2, 2, 2, 0, 4),
    "bf16_master": (2, 2, 2, 4, 2, 4, 4),
}
KEYS = ("weight", "gradient", "activation", "state", "states", "master", "counter")


def training_bytes(parameter_shapes, activation_shapes, policy, stage=0, devices=1):
    if isinstance(policy, str):
        if policy not in TABLE:
            raise ValueError(policy)
        policy = dict(zip(KEYS, TABLE[policy], strict=True))
    policy = {"master": 0, "counter": 0, **policy}
    if sorted(policy) != sorted(KEYS) or _whole(stage) not in range(4):
        raise ValueError(f"{sorted(policy)}, stage {stage}")
    w, g, act, state, states, master, counter = (_whole(policy[key]) for key in KEYS)
    devices = _whole(devices, 1)

    def count(shapes):
        return sum(int(np.prod([_whole(n) for n in shape], dtype=object)) for shape in shapes)

    p = count(parameter_shapes)
    cut = [p, p, p]
    for k in range(int(stage)):
        cut[2 - k] = (p + devices - 1) // devices
    answer = {
        "parameters": cut[0] * w + cut[2] * master,
        "gradients": cut[1] * g,
        "optimizer": cut[2] * state * states + counter * len(list(parameter_shapes)),
        "activations": act * count(activation_shapes),
    }
    answer["total"] = sum(answer.values())
    return answer


def activation_bytes(layers, batch, width, itemsize=4):
    """Tensors are numbers; what is kept is a set of them, so that nothing counts twice."""
    b, w, item = _whole(batch), _whole(width, 1), _whole(itemsize)
    if item not in (2, 4, 8):
        raise ValueError(itemsize)
    sizes, kept, here, grad = {0: 0}, set(), 0, False

    def new(elements):
        sizes[len(sizes)] = elements
        return len(sizes) - 1

    for place, layer in enumerate(layers):
        kind, *rest = [layer] if isinstance(layer, str) else list(layer)
        if kind == "linear":
            if len(rest) != 1:
                raise ValueError(layer)
            grad, w = True, _whole(rest[0], 1)
            kept.add(here)
            here = new(b * w)
        elif rest:
            raise ValueError(layer)
        elif kind == "cross_entropy":
            if place != len(layers) - 1:
                raise ValueError(layer)
            if grad:
                kept |= {new(b * w), new(1)}
        elif kind == "layernorm":
            grad = True
            kept |= {here, new(b), new(b)}
            here = new(b * w)
        elif kind in ("relu", "tanh", "gelu", "dropout"):
            out = new(b * w)
            if grad:
                kept.add({"gelu": here, "dropout": new(b * w)}.get(kind, out))
            here = out
        else:
            raise ValueError(layer)
    return item * sum(sizes[number] for number in kept)


def transformer_activation_bytes(
    s, b, h, a, tensor_parallel=1, sequence_parallel=False, recompute="none"
):
    s, b, h, a, t = (_whole(n, 1) for n in (s, b, h, a, tensor_parallel))
    if (
        h % t
        or a % t
        or (sequence_parallel and s % t)
        or recompute not in ("none", "selective", "full")
    ):
        raise ValueError
    n = s * b * h
    shared = np.array([4, 3, 0, 3]) * (n // t if sequence_parallel else n)
    split = np.array([0, 8, 0, 16]) * (n // t)
    parts = [int(x) for x in shared + split]
    parts[2] = 5 * (a // t) * s * s * b if recompute == "none" else 0
    parts.append(0)
    if recompute == "full":
        parts = [0, 0, 0, 0, 2 * n]
    return dict(
        zip(("norms", "attention", "scores", "mlp", "input"), parts, strict=True), total=sum(parts)
    )


def predict_phases(widths, batch, optimizer="adamw", foreach=False, set_to_none=True):
    """Play the step as a list of what is made and dropped, and take a running sum."""
    widths, b = [_whole(n, 1) for n in widths], _whole(batch, 1)
    if len(widths) < 2 or optimizer not in ("sgd", "momentum", "adamw"):
        raise ValueError
    shapes = [(k * m, m) for k, m in zip(widths[:-1], widths[1:], strict=True)]
    tensors = [4 * n for pair in shapes for n in pair]
    p = sum(tensors)
    state = {"sgd": 0, "momentum": p, "adamw": 2 * p + 4 * len(tensors)}[optimizer]
    data = 4 * b * widths[0] + 8 * b
    out = [4 * b * n for n in widths[1:]]
    forward = []
    for size in out[:-1]:
        forward += [size, size, -size]
    forward += [out[-1], out[-1], 4, 4, -out[-1]]
    backward = [4, out[-1], -4, out[-1], -out[-1], -out[-1]]
    for i in reversed(range(len(shapes))):
        made = [4 * n for n in shapes[i]]
        backward += ([out[i - 1]] if i else []) + made + [-out[i]]
        backward += [] if set_to_none else [-n for n in made]
        backward += [out[i - 1], -out[i - 1], -out[i - 1]] if i else []
    backward += [-4, -4]
    update = []
    if optimizer == "adamw" and foreach:
        update = [*tensors, *(-n for n in tensors)]
    elif optimizer == "adamw":
        last = 0
        for n in tensors:
            update += [n, n, -n, -last]
            last = n
        update.append(-last)
    update += [-p] if set_to_none else []
    live = p + state + data + (0 if set_to_none else p)
    found = {"parameters": p, "gradients": p, "optimizer": state, "batch": data}
    for name, moves in (("forward", forward), ("backward", backward), ("update", update)):
        path = live + np.cumsum([0, *moves])
        found[name] = {"before": live, "peak": int(path.max()), "after": int(path[-1])}
        live = int(path[-1])
    peaks = [found[name]["peak"] for name in ("forward", "backward", "update")]
    found["peak_phase"] = ("forward", "backward", "update")[int(np.argmax(peaks))]
    return found


def inference_peak(widths, batch):
    n, b = np.array([_whole(w, 1) for w in widths]), _whole(batch, 1)
    if len(n) < 2:
        raise ValueError(widths)
    n[0] = 0
    moves = []
    for i in range(1, len(n)):
        moves += [n[i], -n[i - 1]] + ([n[i], -n[i]] if i < len(n) - 1 else [])
    path = np.cumsum(moves) * 4 * b
    return {"peak": path.max(), "after": path[-1]}


def explain_gap(predicted, measured, live):
    def read(size):
        if isinstance(size, int | np.integer) and not isinstance(size, bool) and size < 0:
            return int(size)
        return to_bytes(size)

    names = [*predicted, *(name for name in measured if name not in predicted)]
    pairs = [(read(predicted.get(n, 0)), read(measured.get(n, 0))) for n in names]
    table = np.array(pairs, dtype=object).reshape(-1, 2)
    off = table[:, 1] - table[:, 0]
    order = sorted(range(len(names)), key=lambda i: (-abs(off[i]), i))
    total = read(live)
    return {
        "gap": total - int(table[:, 0].sum()),
        "terms": {names[i]: int(off[i]) for i in order if off[i]},
        "unexplained": total - int(table[:, 1].sum()),
    }
