"""Unit 8.3, PyTorch stage, with plain loops, dicts and functions."""

# ruff: noqa
# left as a student would hand it in

import gc
import weakref

import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map


class LiveMeter(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.sizes = {}
        self.peak = 0

    @property
    def live(self):
        return sum(self.sizes.values())

    def reset_peak(self):
        self.peak = self.live

    def one(self, thing):
        if isinstance(thing, torch.Tensor):
            storage = thing.untyped_storage()
            if storage._cdata not in self.sizes:
                self.sizes[storage._cdata] = storage.nbytes()
                weakref.finalize(storage, self.sizes.pop, storage._cdata)
                self.peak = max(self.peak, self.live)
        return thing

    def track(self, *things):
        tree_map(self.one, things)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        tree_map(self.one, out)
        return out


def meter_for(device):
    wanted = torch.device(device)
    if wanted.type == "cpu":
        return LiveMeter()
    if wanted.type == "cuda":
        if not torch.cuda.is_available():
            raise RuntimeError("there is no CUDA device, so nothing would be measured")

        class Reader:
            live = property(lambda self: torch.cuda.memory_allocated(wanted))
            peak = property(lambda self: torch.cuda.max_memory_allocated(device=wanted))
            reset_peak = lambda self: torch.cuda.reset_peak_memory_stats(wanted)
            __enter__ = lambda self: self
            __exit__ = lambda self, *args: None

        return Reader()
    raise RuntimeError(f"no meter for {wanted}")


def phase_memory(phases, meter):
    names = []
    for name, function in phases:
        if name in names:
            raise ValueError(f"{name} is there twice")
        names.append(name)
    if len(names) == 0:
        raise ValueError("no phases")
    table = {}
    meter.__enter__()
    try:
        for name, function in phases:
            meter.reset_peak()
            row = [meter.live]
            function()
            row.append(meter.peak)
            row.append(meter.live)
            table[name] = row
    except BaseException as error:
        meter.__exit__(type(error), error, error.__traceback__)
        raise
    meter.__exit__(None, None, None)
    something = False
    for name, row in table.items():
        for value in row:
            if value is None:
                raise RuntimeError(f"{name} was not measured")
            if value < 0:
                raise RuntimeError(f"{name}: {value} bytes")
            something = something or value > 0
        if row[1] < row[0] or row[1] < row[2]:
            raise RuntimeError(f"{name}: the peak is too low")
    if not something:
        raise RuntimeError("zeros only")
    best = None
    for name, row in table.items():
        if best is None or row[1] > table[best][1]:
            best = name
    return {
        "peak_phase": best,
        "peak": table[best][1],
        "phases": {n: {"before": r[0], "after": r[2], "peak": r[1]} for n, r in table.items()},
    }


def tensors_in(thing):
    if isinstance(thing, torch.Tensor):
        yield thing
    elif isinstance(thing, dict):
        for value in thing.values():
            yield from tensors_in(value)
    elif isinstance(thing, (list, tuple)):
        for value in thing:
            yield from tensors_in(value)


def state_bytes(model, optimizer=None, batch=()):
    seen = []
    result = {}

    def add(name, things):
        result[name] = 0
        for tensor in tensors_in(things):
            key = tensor.untyped_storage()._cdata
            if key not in seen:
                seen.append(key)
                result[name] += len(tensor.untyped_storage())

    add("parameters", [p for p in model.parameters()])
    add("buffers", [b for b in model.buffers()])
    add("gradients", [p.grad for p in model.parameters() if p.grad is not None])
    add("optimizer", {} if optimizer is None else dict(enumerate(optimizer.state.values())))
    add("batch", batch)
    result["total"] = 0
    result["total"] = sum(result.values())
    return result


def count_graphs():
    gc.collect()
    number = 0
    for thing in gc.get_objects():
        if type(thing) is torch.Tensor and thing.grad_fn is not None:
            number += 1
    return number


def find_leak(step, meter, steps=4, warmup=2):
    if steps < 1 or warmup < 0:
        raise ValueError("steps")
    live = []
    graphs = []
    with meter:
        for i in range(warmup):
            step()
        for i in range(steps + 1):
            if i > 0:
                step()
            graphs.append(count_graphs())
            live.append(meter.live)
        peak = meter.peak
    for value in live:
        if value is None:
            raise RuntimeError("not measured")
    if set(live) == {0} and peak == 0:
        raise RuntimeError("not measured")
    leaks = True
    graph = True
    for i in range(steps):
        leaks = leaks and live[i + 1] > live[i]
        graph = graph and graphs[i + 1] > graphs[i]
    result = {"leaks": leaks, "live": tuple(live), "bytes_per_step": 0, "kind": None}
    if leaks:
        growth = live[-1] - live[0]
        result["bytes_per_step"] = growth // steps if growth % steps == 0 else growth / steps
        result["kind"] = "graph" if graph else "data"
    return result


def first_fit(attempt, sizes):
    nothing = True
    for size in sizes:
        nothing = False
        try:
            return (size, attempt(size))
        except MemoryError:
            pass
        except RuntimeError as error:
            if "out of memory" not in str(error).lower():
                raise
        gc.collect()
    if nothing:
        raise ValueError("nothing to try")
    raise MemoryError("all too large")


def closed_book_memory(widths, batch):
    layers = []
    for i in range(len(widths) - 1):
        layers.append(torch.nn.Linear(widths[i], widths[i + 1]))
        if i < len(widths) - 2:
            layers.append(torch.nn.ReLU())
    model = torch.nn.Sequential(*layers)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    x = torch.rand(batch, widths[0])
    y = torch.randint(0, widths[-1], (batch,))
    box = {}
    sizes = {}

    def forward():
        box["loss"] = torch.nn.CrossEntropyLoss()(model(x), y)

    def backward():
        box["loss"].backward()
        del box["loss"]

    def gradients():
        sizes.update(state_bytes(model, optimizer))

    def update():
        optimizer.step()
        optimizer.zero_grad()

    meter = LiveMeter()
    meter.track([p for p in model.parameters()], x, y)
    for i in range(2):
        found = phase_memory(
            [
                ("forward", forward),
                ("backward", backward),
                ("look", gradients),
                ("optimizer", update),
            ],
            meter,
        )["phases"]
    del found["look"]
    p = 0
    for i in range(len(widths) - 1):
        p += widths[i] * widths[i + 1] + widths[i + 1]
    predicted = {"parameters": 4 * p, "gradients": 4 * p}
    predicted["optimizer"] = 8 * p + 8 * (len(widths) - 1)
    predicted["activations"] = 8 + sum(4 * batch * n for n in widths[1:])
    measured = {name: sizes[name] for name in ("parameters", "gradients", "optimizer")}
    measured["activations"] = found["forward"]["after"] - found["forward"]["before"]
    worst = max(found, key=lambda name: found[name]["peak"])
    return {
        "predicted": predicted,
        "measured": measured,
        "peak_phase": worst,
        "sentence": "The peak is in the phase " + worst + ".",
    }
