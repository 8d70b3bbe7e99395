"""Unit 8.3, NumPy stage, step by step in plain Python: linked blocks, free lists, small loops."""

# ruff: noqa
# left as a student would hand it in

import bisect
import operator
import string
from fractions import Fraction

units = "B kB MB GB TB KiB MiB GiB TiB".split()
values = [1] + [1000**k for k in (1, 2, 3, 4)] + [1024**k for k in (1, 2, 3, 4)]
ONE = 1024 * 1024


def check_int(value, minimum=0):
    if value is True or value is False:
        raise ValueError("a bool is not a count")
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{value!r} is not a whole number")
    if number < minimum:
        raise ValueError(f"{number} is below {minimum}")
    return number


def to_bytes(size):
    if type(size) is not str:
        return check_int(size)
    text = size.strip()
    letters = ""
    while text and text[-1] in string.ascii_letters:
        letters = text[-1] + letters
        text = text[:-1]
    text = text.strip()
    if letters not in units:
        raise ValueError(f"unknown unit {letters!r}")
    if "_" in text or "/" in text or text[:1] not in set(string.digits):
        raise ValueError(f"{text!r} is not a number")
    exact = Fraction(text) * values[units.index(letters)]
    return (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)


def round_size(nbytes):
    n = check_int(nbytes)
    rest = n % 512
    return n if rest == 0 else n + 512 - rest


def segment_size(nbytes):
    n = round_size(nbytes)
    if n == 0:
        return 0
    if n > ONE:
        if n >= 10 * ONE:
            size = 10 * ONE
            while size < n:
                size += max(2 * ONE, (n - size) // (2 * ONE) * 2 * ONE)
            return size
        return 20 * ONE
    return 2 * ONE


class Piece:
    def __init__(self, pool, key, size):
        self.pool, self.key, self.size = pool, key, size
        self.before = self.after = None
        self.asked = None

    @property
    def entry(self):
        return (self.size, *self.key)


class CachingAllocator:
    def __init__(self, capacity=None):
        self.capacity = capacity if capacity is None else check_int(capacity)
        self.free_lists = {"small": [], "large": []}  # sorted entries
        self.by_entry = {}
        self.living = {}
        self.next_handle = self.next_segment = 0
        self.requested = self.allocated = self.reserved = 0
        self.peak_allocated = self.peak_reserved = 0

    def _put(self, piece):
        bisect.insort(self.free_lists[piece.pool], piece.entry)
        self.by_entry[piece.entry] = piece

    def _take(self, piece):
        self.free_lists[piece.pool].remove(piece.entry)
        del self.by_entry[piece.entry]

    def malloc(self, nbytes):
        size = round_size(nbytes)
        handle = self.next_handle
        if size == 0:
            self.next_handle += 1
            self.living[handle] = None
            return handle
        pool = "small" if size <= ONE else "large"
        position = bisect.bisect_left(self.free_lists[pool], (size,))
        if position < len(self.free_lists[pool]):
            piece = self.by_entry[self.free_lists[pool][position]]
            self._take(piece)
        else:
            new = segment_size(nbytes)
            for attempt in range(2):
                if self.capacity is None or self.reserved + new <= self.capacity:
                    break
                if attempt:
                    raise MemoryError(f"cannot reserve {new} bytes")
                self.empty_cache()
            else:
                raise MemoryError(f"cannot reserve {new} bytes")
            piece = Piece(pool, (self.next_segment, 0), new)
            self.next_segment += 1
            self.reserved += new
            self.peak_reserved = max(self.peak_reserved, self.reserved)
        left = piece.size - size
        if (pool == "small" and left > 0) or left > ONE:
            segment, offset = piece.key
            tail = Piece(pool, (segment, offset + size), left)
            tail.before, tail.after = piece, piece.after
            if piece.after is not None:
                piece.after.before = tail
            piece.after = tail
            piece.size = size
            self._put(tail)
        piece.asked = int(nbytes)
        self.requested += piece.asked
        self.allocated += piece.size
        self.peak_allocated = max(self.peak_allocated, self.allocated)
        self.next_handle += 1
        self.living[handle] = piece
        return handle

    def free(self, handle):
        if handle not in self.living:
            raise ValueError("no such handle")
        piece = self.living.pop(handle)
        if piece is None:
            return
        self.requested -= piece.asked
        self.allocated -= piece.size
        piece.asked = None
        after = piece.after
        if after is not None and after.asked is None:
            self._take(after)
            piece.size += after.size
            piece.after = after.after
            if after.after is not None:
                after.after.before = piece
        before = piece.before
        if before is not None and before.asked is None:
            self._take(before)
            before.size += piece.size
            before.after = piece.after
            if piece.after is not None:
                piece.after.before = before
            piece = before
        self._put(piece)

    def empty_cache(self):
        for piece in list(self.by_entry.values()):
            if piece.before is None and piece.after is None:
                self._take(piece)
                self.reserved -= piece.size

    def reset_peak(self):
        self.peak_allocated, self.peak_reserved = self.allocated, self.reserved

    def stats(self):
        pieces = list(self.by_entry.values())
        split = [p.size for p in pieces if p.before is not None or p.after is not None]
        return dict(
            requested=self.requested,
            allocated=self.allocated,
            reserved=self.reserved,
            inactive_split=sum(split),
            largest_free=max([0] + [p.size for p in pieces]),
            peak_allocated=self.peak_allocated,
            peak_reserved=self.peak_reserved,
        )


def product(shape):
    result = 1
    for n in shape:
        result *= check_int(n)
    return result


def training_bytes(parameter_shapes, activation_shapes, policy, stage=0, devices=1):
    required = ["weight", "gradient", "activation", "state", "states"]
    if isinstance(policy, str):
        half = policy.startswith("bf16")
        if policy not in ("fp32", "autocast", "bf16", "bf16_master"):
            raise ValueError("unknown policy")
        policy = {
            "weight": 2 if half else 4,
            "gradient": 2 if half else 4,
            "activation": 4 if policy == "fp32" else 2,
            "state": 2 if policy == "bf16" else 4,
            "states": 2,
            "master": 4 if policy == "bf16_master" else 0,
            "counter": 4,
        }
    for key in policy:
        if key not in required + ["master", "counter"]:
            raise ValueError(f"unknown {key}")
    numbers = {"master": 0, "counter": 0}
    for key in required:
        if key not in policy:
            raise ValueError(f"no {key}")
    for key, value in policy.items():
        numbers[key] = check_int(value)
    stage, devices = check_int(stage), check_int(devices, 1)
    if stage > 3:
        raise ValueError("stage")
    everything = tensors = 0
    for shape in parameter_shapes:
        everything += product(shape)
        tensors += 1
    part = everything // devices + (1 if everything % devices else 0)
    result = {"parameters": 0, "gradients": 0, "optimizer": 0, "activations": 0}
    result["parameters"] += (part if stage == 3 else everything) * numbers["weight"]
    result["parameters"] += (part if stage >= 1 else everything) * numbers["master"]
    result["gradients"] += (part if stage >= 2 else everything) * numbers["gradient"]
    for _ in range(numbers["states"]):
        result["optimizer"] += (part if stage >= 1 else everything) * numbers["state"]
    result["optimizer"] += tensors * numbers["counter"]
    for shape in activation_shapes:
        result["activations"] += product(shape) * numbers["activation"]
    result["total"] = sum(result.values())
    return result


def activation_bytes(layers, batch, width, itemsize=4):
    batch, width, itemsize = check_int(batch), check_int(width, 1), check_int(itemsize)
    if itemsize != 2 and itemsize != 4 and itemsize != 8:
        raise ValueError("itemsize")
    names = []
    for layer in layers:
        if isinstance(layer, str):
            layer = (layer,)
        if layer[0] == "linear":
            if len(layer) != 2:
                raise ValueError(layer)
            names.append(("linear", check_int(layer[1], 1)))
        elif layer[0] in ("relu", "tanh", "gelu", "layernorm", "dropout", "cross_entropy"):
            if len(layer) != 1:
                raise ValueError(layer)
            names.append((layer[0], None))
        else:
            raise ValueError(layer)
    for name, _ in names[:-1]:
        if name == "cross_entropy":
            raise ValueError("the loss comes last")
    total = 0
    # for each boundary between layers: does the layer before or the one behind need it?
    learns = False
    for i, (name, n) in enumerate(names):
        first_weight = not learns and name in ("linear", "layernorm")
        learns = learns or name in ("linear", "layernorm")
        previous = names[i - 1][0] if i else "data"
        saved_by_previous = learns and not first_weight and previous in ("relu", "tanh")
        if name in ("linear", "layernorm", "gelu") and learns and i and not saved_by_previous:
            total += batch * width
        if name == "linear":
            width = n
        if learns and name in ("relu", "tanh", "dropout"):
            total += batch * width
        if name == "layernorm":
            total += batch + batch
        if name == "cross_entropy" and learns:
            total += batch * width + 1
    return total * itemsize


def transformer_activation_bytes(
    s, b, h, a, tensor_parallel=1, sequence_parallel=False, recompute="none"
):
    s, b, h, a = check_int(s, 1), check_int(b, 1), check_int(h, 1), check_int(a, 1)
    t = check_int(tensor_parallel, 1)
    for n in [h, a] + ([s] if sequence_parallel else []):
        if n % t != 0:
            raise ValueError(f"{n} cannot be split by {t}")
    if recompute not in {"none", "selective", "full"}:
        raise ValueError(recompute)
    on_all = {"norms": 4, "attention": 3, "mlp": 3}
    split = {"norms": 0, "attention": 8, "mlp": 16}
    answer = {}
    for name in ("norms", "attention", "scores", "mlp", "input"):
        if name == "input":
            answer[name] = 2 * s * b * h if recompute == "full" else 0
        elif recompute == "full":
            answer[name] = 0
        elif name == "scores":
            answer[name] = 0 if recompute == "selective" else Fraction(5 * a * s * s * b, t)
        else:
            divisor = t if sequence_parallel else 1
            answer[name] = (
                Fraction(on_all[name], divisor) * s * b * h + Fraction(split[name], t) * s * b * h
            )
    answer = {name: int(value) for name, value in answer.items()}
    answer["total"] = sum(answer.values())
    return answer


class Ledger:
    def __init__(self, live):
        self.live = self.most = live

    def make(self, size):
        self.live += size
        if self.live > self.most:
            self.most = self.live

    def drop(self, size):
        self.live -= size


def predict_phases(widths, batch, optimizer="adamw", foreach=False, set_to_none=True):
    widths = [check_int(n, 1) for n in widths]
    batch = check_int(batch, 1)
    if len(widths) < 2:
        raise ValueError("widths")
    if optimizer not in ["sgd", "momentum", "adamw"]:
        raise ValueError(optimizer)
    weights, biases = [], []
    for i in range(1, len(widths)):
        weights.append(widths[i - 1] * widths[i] * 4)
        biases.append(widths[i] * 4)
    parameters = sum(weights) + sum(biases)
    state = 0
    if optimizer == "momentum":
        state = parameters
    if optimizer == "adamw":
        state = parameters * 2 + 4 * 2 * len(weights)
    data = batch * widths[0] * 4 + batch * 8
    out = [batch * n * 4 for n in widths[1:]]
    live = parameters + state + data
    if not set_to_none:
        live += parameters
    result = {"parameters": parameters, "gradients": parameters, "optimizer": state, "batch": data}

    book = Ledger(live)
    for size in out[:-1]:
        book.make(size)
        book.make(size)
        book.drop(size)
    book.make(out[-1])
    book.make(out[-1])
    book.make(8)
    book.drop(out[-1])
    result["forward"] = {"before": live, "peak": book.most, "after": book.live}

    live = book.live
    book = Ledger(live)
    book.make(4)
    book.make(out[-1])
    book.drop(4)
    book.make(out[-1])
    book.drop(out[-1])
    book.drop(out[-1])
    for i in range(len(weights) - 1, -1, -1):
        if i > 0:
            book.make(out[i - 1])
        book.make(weights[i])
        book.make(biases[i])
        book.drop(out[i])
        if not set_to_none:
            book.drop(weights[i] + biases[i])
        if i > 0:
            book.make(out[i - 1])
            book.drop(2 * out[i - 1])
    book.drop(4)
    book.drop(4)
    result["backward"] = {"before": live, "peak": book.most, "after": book.live}

    live = book.live
    book = Ledger(live)
    if optimizer == "adamw" and foreach:
        book.make(parameters)
        book.drop(parameters)
    elif optimizer == "adamw":
        held = 0
        for w, b in zip(weights, biases):
            for size in (w, b):
                book.make(size)
                book.make(size)
                book.drop(size + held)
                held = size
        book.drop(held)
    if set_to_none:
        book.drop(parameters)
    result["update"] = {"before": live, "peak": book.most, "after": book.live}
    result["peak_phase"] = max(
        ["forward", "backward", "update"], key=lambda name: result[name]["peak"]
    )
    return result


def inference_peak(widths, batch):
    widths = [check_int(n, 1) for n in widths]
    batch = check_int(batch, 1)
    if len(widths) < 2:
        raise ValueError("widths")
    book = Ledger(0)
    held = 0
    for i in range(1, len(widths)):
        out = 4 * batch * widths[i]
        book.make(out)
        book.drop(held)
        if i != len(widths) - 1:
            book.make(out)
            book.drop(out)
        held = out
    return {"peak": book.most, "after": book.live}


def explain_gap(predicted, measured, live):
    def size(x):
        try:
            return to_bytes(x)
        except ValueError:
            if type(x) is not str and type(x) is not bool and hasattr(x, "__index__"):
                return operator.index(x)
            raise

    terms = []
    for name in list(predicted) + [n for n in measured if n not in predicted]:
        difference = 0
        if name in measured:
            difference += size(measured[name])
        if name in predicted:
            difference -= size(predicted[name])
        if difference != 0:
            terms.append((name, difference))
    terms.sort(key=lambda term: abs(term[1]), reverse=True)
    return {
        "gap": size(live) - sum(size(x) for x in predicted.values()),
        "terms": dict(terms),
        "unexplained": size(live) - sum(size(x) for x in measured.values()),
    }
