"""The PyTorch stage by other ways: tensors for everything, functional calls, a wrapper to copy."""
# ruff: noqa  (other ways, on purpose)

import copy
import io
import os
import pathlib
import random
import re

import numpy as np
import torch
from torch import nn

ALL = {"model", "optimizer", "scheduler", "scaler", "ema", "loader", "step", "rng"}
MAYBE = ("scheduler", "scaler", "ema")


def run_state(run):
    model = run.model
    while hasattr(model, "_orig_mod"):
        model = model._orig_mod
    numpy = np.random.get_state()
    return {
        "model": {name: value.clone() for name, value in model.state_dict().items()},
        "optimizer": copy.deepcopy(run.optimizer.state_dict()),
        **{
            part: None
            if getattr(run, part) is None
            else copy.deepcopy(dict(getattr(run, part).state_dict()))
            for part in MAYBE
        },
        "loader": {
            "states": torch.stack([run.before_epoch, run.generator.get_state()]),
            "numbers": torch.tensor([run.position, run.epoch, int(run.order is not None)]),
        },
        "step": int(run.step),
        "rng": {
            "torch": torch.get_rng_state(),
            "python": repr(random.getstate()),
            "numpy": torch.tensor(numpy[1].tolist() + [numpy[2], numpy[3]]),
            "gauss": torch.tensor(numpy[4], dtype=torch.float64),
            "cuda": [torch.cuda.get_rng_state(i) for i in range(torch.cuda.device_count())],
        },
    }


def restore_run(run, state):
    import ast

    if ALL - state.keys():
        raise ValueError(f"missing: {sorted(ALL - state.keys())}")
    odd = [part for part in MAYBE if (getattr(run, part) is None) is not (state[part] is None)]
    if odd:
        raise ValueError(f"only one side has {odd}")
    model = getattr(run.model, "_orig_mod", run.model)
    own = model.state_dict()
    if own.keys() != state["model"].keys():
        raise ValueError("another model")
    with torch.no_grad():
        for name, value in own.items():
            value.copy_(state["model"][name])
    run.optimizer.load_state_dict(copy.deepcopy(state["optimizer"]))
    for part in MAYBE:
        if state[part] is not None:
            getattr(run, part).load_state_dict(copy.deepcopy(state[part]))
    before, now = (one.clone() for one in state["loader"]["states"])
    run.position, run.epoch, drawn = state["loader"]["numbers"].tolist()
    if drawn:
        run.generator.set_state(before)
        run.order = torch.randperm(len(run.x), generator=run.generator)
    else:
        run.order = None
    run.generator.set_state(now)
    run.before_epoch = before
    run.step = state["step"]
    rng = state["rng"]
    *keys, position, has_gauss = rng["numpy"].tolist()
    np.random.set_state(
        ("MT19937", np.array(keys, dtype=np.uint32), position, has_gauss, rng["gauss"].item())
    )
    random.setstate(ast.literal_eval(rng["python"]))
    for number, one in enumerate(rng["cuda"]):
        torch.cuda.set_rng_state(one, number)
    torch.set_rng_state(rng["torch"])


def save_checkpoint(state, folder, keep=3):
    if keep < 1:
        raise ValueError(keep)
    folder = pathlib.Path(folder)
    target = folder.joinpath("step-%08d.pt" % state["step"])
    beside = target.with_suffix(".partial")
    file = io.BytesIO()
    torch.save(state, file)
    try:
        with beside.open("wb", buffering=0) as raw:
            left = memoryview(file.getvalue())
            while left:
                left = left[raw.write(left) :]
            os.fsync(raw.fileno())
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _sync(folder)
    table = _table(folder)
    for step in sorted(table)[: max(0, len(table) - keep)]:
        if step != state["step"]:
            table[step].unlink()
    return target


def _sync(folder):
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _table(folder):
    pattern = re.compile(r"step-(\d{8,})\.pt")
    found = [(pattern.fullmatch(name), name) for name in os.listdir(folder)]
    return {int(match[1]): pathlib.Path(folder, name) for match, name in found if match}


def load_latest(folder):
    table = _table(folder) if os.path.isdir(folder) else {}
    while table:
        try:
            with open(table.pop(max(table)), "rb") as file:
                return torch.load(file, map_location=torch.device("cpu"), weights_only=True)
        except Exception as error:
            print("passed over:", error)
    raise FileNotFoundError(folder)


def first_divergence(run_a, run_b, tolerance=0.0):
    if tolerance < 0 or tolerance != tolerance:
        raise ValueError("tolerance")
    step = 0
    for step, (a, b) in enumerate(zip(run_a, run_b, strict=False)):
        judged = {part: _judge(a.get(part, _NONE), b.get(part, _NONE), tolerance) for part in a | b}
        parts = sorted(part for part in judged if not judged[part][0])
        if parts:
            return {"step": step, "parts": parts, "largest": max(judged[p][1] for p in parts)}
    short, long = sorted((len(run_a), len(run_b)))
    return None if short == long else {"step": short, "parts": [], "largest": 0.0}


_NONE = object()


def _judge(a, b, tolerance):
    kinds = type(a), type(b)
    if all(issubclass(kind, torch.Tensor) for kind in kinds):
        return _tensors(a.detach(), b.detach(), tolerance)
    if kinds == (float, float):
        return _tensors(_double(a), _double(b), tolerance)
    if kinds == (dict, dict) or all(issubclass(kind, dict) for kind in kinds):
        inner = [_judge(a.get(k, _NONE), b.get(k, _NONE), tolerance) for k in a | b]
    elif all(kind in (list, tuple) for kind in kinds):
        inner = [_judge(x, y, tolerance) for x, y in zip(a, b, strict=False)]
        inner.append((len(a) == len(b), 0.0))
    else:
        return kinds[0] is kinds[1] and bool(a == b), 0.0
    return all(ok for ok, _ in inner), max([0.0, *(gap for _, gap in inner)])


def _double(number):
    return torch.tensor(number, dtype=torch.float64)


def _tensors(a, b, tolerance):
    if a.shape != b.shape or a.dtype != b.dtype:
        return False, 0.0
    if a.dtype not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        return torch.equal(a, b), 0.0
    x, y = (t.to(torch.float64).numpy() for t in (a, b))
    odd = ~(np.isfinite(x) & np.isfinite(y))
    if not np.array_equal(x[odd], y[odd], equal_nan=True):
        return False, np.inf
    x, y = x[~odd], y[~odd]
    gap = float(np.abs(x - y).max(initial=0.0))
    scale = float(max(np.abs(x).max(initial=0.0), np.abs(y).max(initial=0.0)))
    return gap <= tolerance * scale, gap / scale if scale else 0.0


def boundary_report(model, x, tolerance=1e-5, threads=2, compiler=None):
    if len(x) < 1:
        raise ValueError("empty")
    saved = copy.deepcopy(dict(model.named_buffers()))
    old, rng = torch.get_num_threads(), torch.get_rng_state()
    wanted = {name: p for name, p in model.named_parameters() if p.requires_grad}

    def rows(batch):
        return torch.vstack([model(one) for one in batch.split(1)])

    def measure(function, number):
        torch.set_num_threads(number)
        torch.set_rng_state(rng)
        with torch.no_grad():
            for name, value in model.named_buffers():
                value.copy_(saved[name])
        out = function(x)
        gradients = torch.autograd.grad(out.pow(2).mean(), list(wanted.values()), allow_unused=True)
        return [out.detach()] + [
            torch.zeros_like(p) if g is None else g
            for p, g in zip(wanted.values(), gradients, strict=True)
        ]

    functions = {"again": (model, 1), "threads": (model, threads), "batch": (rows, 1)}
    if compiler is not None:
        functions["compiled"] = (compiler(model), 1)
    try:
        base = measure(model, 1)
        gaps = {
            name: max(_gap(a, b) for a, b in zip(base, measure(*how), strict=True))
            for name, how in functions.items()
        }
    finally:
        torch.set_num_threads(old)
        torch.set_rng_state(rng)
        with torch.no_grad():
            for name, value in model.named_buffers():
                value.copy_(saved[name])
    return {
        name: {"bitwise": gap == 0, "largest": gap, "within": gap <= tolerance}
        for name, gap in gaps.items()
    }


def _gap(a, b):
    a, b = a.double().numpy(), b.double().numpy()
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return float("inf")
    gap = np.abs(a - b, where=finite, out=np.zeros_like(a)).max()
    if gap == 0:
        return 0.0
    scale = np.abs(a[finite]).max()
    return float(gap / scale) if scale else float("inf")


class _Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.drop, self.b = nn.Linear(3, 12), nn.Dropout(0.4), nn.Linear(12, 2)

    def forward(self, x):
        return self.b(self.drop(self.a(x).relu()))


def closed_book_run(path, steps):
    torch.manual_seed(123)
    model = _Small()
    data = nn.functional.normalize(torch.randn(30, 3))
    labels = (data[:, 0] > 0).long()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02, weight_decay=0.1)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (step + 1) ** 0.5)
    shuffle = torch.Generator().manual_seed(0)
    place = {"epoch": -1, "batch": 6, "made": 0}
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
    path = pathlib.Path(path)
    order = None
    if path.exists():
        saved = torch.load(path, weights_only=True)
        for name, part in parts.items():
            part.load_state_dict(saved[name])
        place = saved["place"]
        torch.set_rng_state(saved["noise"])
    losses = []
    while place["made"] < steps:
        if place["batch"] == 6:
            place.update(epoch=place["epoch"] + 1, batch=0)
            order = None
        if order is None:
            # an order that depends on the number of the epoch alone
            shuffle.manual_seed(1000 + place["epoch"])
            order = torch.randperm(30, generator=shuffle).view(6, 5)
        rows = order[place["batch"]]
        loss = nn.functional.cross_entropy(model(data[rows]), labels[rows])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
        place["batch"] += 1
        place["made"] += 1
    state = {name: part.state_dict() for name, part in parts.items()}
    state |= {"place": place, "noise": torch.get_rng_state()}
    beside = path.with_name("." + path.name)
    with beside.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file)
    beside.replace(path)
    _sync(path.parent)
    return losses
