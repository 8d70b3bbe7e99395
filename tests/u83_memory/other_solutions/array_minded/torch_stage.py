"""Unit 8.3, PyTorch stage, by data pointers and small classes."""

# ruff: noqa
# left as a student would hand it in

import gc
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_leaves


class LiveMeter(TorchDispatchMode):
    """Looks at what is alive after each operator, by weak references to storages."""

    def __init__(self):
        super().__init__()
        self.references = {}
        self.peak = 0

    def _count(self):
        import torch.multiprocessing.reductions as reductions

        self.weak = reductions.StorageWeakRef
        alive = {key: size for key, (ref, size) in self.references.items() if not ref.expired()}
        self.references = {key: self.references[key] for key in alive}
        return sum(alive.values())

    @property
    def live(self):
        return self._count()

    def reset_peak(self):
        self.peak = self.live

    def track(self, *things):
        now = self._count()
        for leaf in tree_leaves(things):
            if isinstance(leaf, torch.Tensor):
                storage = leaf.untyped_storage()
                if storage._cdata not in self.references:
                    self.references[storage._cdata] = (self.weak(storage), storage.nbytes())
                    now += storage.nbytes()
                    self.peak = max(self.peak, now)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        self.track(result)
        return result


class DeviceMeter:
    def __init__(self, index):
        self.index = index

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return False

    def __getattr__(self, name):
        stats = torch.cuda.memory_stats(self.index)
        if name == "live":
            return stats["allocated_bytes.all.current"]
        if name == "peak":
            return stats["allocated_bytes.all.peak"]
        raise AttributeError(name)

    def reset_peak(self):
        torch.cuda.reset_peak_memory_stats(self.index)


def meter_for(device):
    kind, _, index = str(device).partition(":")
    if kind == "cpu":
        return LiveMeter()
    if kind == "cuda" and torch.cuda.is_available():
        return DeviceMeter(int(index) if index else torch.cuda.current_device())
    raise RuntimeError(f"cannot measure {device}")


def phase_memory(phases, meter):
    names = [name for name, _ in phases]
    if not names or len(set(names)) != len(names):
        raise ValueError(names)
    readings = np.full((len(names), 3), np.nan)
    with meter:
        for row, (_, function) in zip(readings, phases, strict=True):
            meter.reset_peak()
            row[0] = np.nan if meter.live is None else meter.live
            function()
            for column, value in ((1, meter.peak), (2, meter.live)):
                row[column] = np.nan if value is None else value
    if np.isnan(readings).any() or (readings < 0).any() or not readings.any():
        raise RuntimeError("not measured")
    if (readings[:, 1:2] < readings[:, ::2]).any():
        raise RuntimeError("a peak below what was alive")
    top = int(readings[:, 1].argmax())
    return {
        "phases": {
            name: dict(zip(("before", "peak", "after"), map(int, row), strict=True))
            for name, row in zip(names, readings, strict=True)
        },
        "peak": int(readings[top, 1]),
        "peak_phase": names[top],
    }


def state_bytes(model, optimizer=None, batch=()):
    groups = SimpleNamespace(
        parameters=model.parameters(),
        buffers=model.buffers(),
        gradients=(p.grad for p in model.parameters()),
        optimizer=tree_flatten(dict(enumerate(optimizer.state.values())))[0] if optimizer else (),
        batch=tree_flatten(batch)[0],
    )
    owner = {}
    for name, tensors in vars(groups).items():
        for tensor in tensors:
            if torch.is_tensor(tensor) and tensor.untyped_storage().nbytes():
                storage = tensor.untyped_storage()
                owner.setdefault(storage.data_ptr(), (name, storage.nbytes()))
    sizes = dict.fromkeys(vars(groups), 0)
    for name, size in owner.values():
        sizes[name] += size
    return {**sizes, "total": sum(sizes.values())}


def find_leak(step, meter, steps=4, warmup=2):
    if steps < 1 or warmup < 0:
        raise ValueError
    rows = []

    def look():
        gc.collect()
        holders = [o for o in gc.get_objects() if isinstance(o, torch.Tensor)]
        rows.append((meter.live, sum(t.grad_fn is not None for t in holders)))

    with meter as entered:
        del entered
        for _ in range(warmup):
            step()
        look()
        for _ in range(steps):
            step()
            look()
        peak = meter.peak
    live = [row[0] for row in rows]
    if any(value is None for value in live) or (not peak and not any(live)):
        raise RuntimeError("not measured")
    growth = np.diff(np.array(rows, dtype=np.int64), axis=0)
    leaks = bool((growth[:, 0] > 0).all())
    return {
        "leaks": leaks,
        "live": np.array(live),
        "bytes_per_step": growth[:, 0].mean() if leaks else 0.0,
        "kind": ("graph" if (growth[:, 1] > 0).all() else "data") if leaks else None,
    }


def first_fit(attempt, sizes):
    seen = False
    for size in sizes:
        seen = True
        fits, result = _try(attempt, size)
        if fits:
            return [size, result]
        gc.collect()
    if seen:
        raise MemoryError("nothing fits")
    raise ValueError("no sizes")


def _try(attempt, size):
    try:
        return True, attempt(size)
    except Exception as error:
        memory = isinstance(error, MemoryError | torch.OutOfMemoryError)
        text = isinstance(error, RuntimeError) and "out of memory" in str(error).lower()
        if not memory and not text:
            raise
    return False, None


def closed_book_memory(widths, batch):
    model = nn.Sequential()
    for i, (n, m) in enumerate(zip(widths[:-1], widths[1:], strict=True)):
        if i:
            model.append(nn.ReLU())
        model.append(nn.Linear(n, m))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False)
    x, y = torch.ones(batch, widths[0]), torch.ones(batch, dtype=torch.long)
    meter, reads = LiveMeter(), {}
    meter.track(list(model.parameters()), x, y)
    with meter:
        for _ in range(3):
            meter.reset_peak()
            before = meter.live
            loss = F.cross_entropy(model(x), y)
            reads["forward"] = meter.peak
            kept = meter.live - before
            meter.reset_peak()
            loss.backward()
            del loss
            reads["backward"] = meter.peak
            gradients = sum(p.grad.nbytes for p in model.parameters())
            meter.reset_peak()
            optimizer.step()
            optimizer.zero_grad()
            reads["optimizer"] = meter.peak
    p = sum((n + 1) * m for n, m in zip(widths[:-1], widths[1:], strict=True))
    states = [t for s in optimizer.state.values() for t in s.values()]
    top = max(reads, key=reads.get)
    return {
        "predicted": {
            "parameters": 4 * p,
            "gradients": 4 * p,
            "optimizer": 8 * p + 4 * len(list(model.parameters())),
            "activations": 4 * batch * (sum(widths) - widths[0]) + 4 + 4,
        },
        "measured": {
            "parameters": sum(t.nbytes for t in model.parameters()),
            "gradients": gradients,
            "optimizer": sum(t.nbytes for t in states),
            "activations": kept,
        },
        "peak_phase": top,
        "sentence": f"With {reads[top]} bytes the {top.upper()} phase is the largest.",
    }
