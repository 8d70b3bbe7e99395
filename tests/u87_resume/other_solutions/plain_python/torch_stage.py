"""The PyTorch stage by other ways: through bytes, flat paths and plain loops."""
# ruff: noqa  (other ways, on purpose)

import glob
import io
import math
import os
import random

import numpy as np
import torch
import torch.nn.functional as F


def _through_bytes(value):
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=True)


def run_state(run):
    keys = np.random.get_state(legacy=False)
    state = {
        "model": {k.removeprefix("_orig_mod."): v for k, v in run.model.state_dict().items()},
        "optimizer": run.optimizer.state_dict(),
        "scheduler": run.scheduler.state_dict() if run.scheduler else None,
        "scaler": run.scaler.state_dict() if run.scaler else None,
        "ema": run.ema.state_dict() if run.ema is not None else None,
        "loader": [run.before_epoch, run.generator.get_state(), run.order, run.position, run.epoch],
        "step": run.step,
        "rng": {
            "torch": torch.random.get_rng_state(),
            "python": random.getstate(),
            "keys": torch.from_numpy(keys["state"]["key"].astype(np.int64)),
            "rest": (int(keys["state"]["pos"]), int(keys["has_gauss"]), float(keys["gauss"])),
            "devices": torch.cuda.get_rng_state_all(),
        },
    }
    return _through_bytes(state)


def restore_run(run, state):
    for part in "model optimizer scheduler scaler ema loader step rng".split():
        if part not in state:
            raise ValueError(part)
    for part in ("scheduler", "scaler", "ema"):
        if bool(state[part] is None) is not bool(getattr(run, part) is None):
            raise ValueError(part)
    state = _through_bytes(state)
    prefix = "_orig_mod." if hasattr(run.model, "_orig_mod") else ""
    run.model.load_state_dict({prefix + name: value for name, value in state["model"].items()})
    run.optimizer.load_state_dict(state["optimizer"])
    for part in ("scheduler", "scaler", "ema"):
        if getattr(run, part) is not None:
            getattr(run, part).load_state_dict(state[part])
    run.before_epoch, now, run.order, run.position, run.epoch = state["loader"]
    run.generator.set_state(now)
    run.step = state["step"]
    rng = state["rng"]
    torch.random.set_rng_state(rng["torch"])
    random.setstate(rng["python"])
    position, has_gauss, gauss = rng["rest"]
    keys = rng["keys"].numpy().astype(np.uint32)
    np.random.set_state(("MT19937", keys, position, has_gauss, gauss))
    if rng["devices"]:
        torch.cuda.set_rng_state_all(rng["devices"])


def save_checkpoint(state, folder, keep=3):
    if not keep >= 1:
        raise ValueError("keep")
    name = os.path.join(folder, "step-" + str(state["step"]).zfill(8) + ".pt")
    part = os.path.join(folder, ".saving")
    try:
        with open(part, "wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.rename(part, name)
    except BaseException:
        if os.path.exists(part):
            os.remove(part)
        raise
    descriptor = os.open(folder, os.O_DIRECTORY)
    os.fsync(descriptor)
    os.close(descriptor)
    for old in _steps(folder)[:-keep]:
        if _path(folder, old) != name:
            os.remove(_path(folder, old))
    return name


def _path(folder, step):
    return os.path.join(folder, f"step-{step:08d}.pt")


def _steps(folder):
    names = glob.glob("step-[0-9]*.pt", root_dir=folder)
    numbers = [name[5:-3] for name in names]
    return sorted(int(number) for number in numbers if number.isdigit())


def load_latest(folder):
    for step in reversed(_steps(folder)):
        try:
            return torch.load(_path(folder, step), map_location="cpu", weights_only=True)
        except Exception:
            continue
    raise FileNotFoundError("no checkpoint")


def first_divergence(run_a, run_b, tolerance=0.0):
    if math.isnan(tolerance) or tolerance < 0:
        raise ValueError("tolerance")
    for step in range(max(len(run_a), len(run_b))):
        if step >= min(len(run_a), len(run_b)):
            return {"step": step, "parts": [], "largest": 0.0}
        a, b = run_a[step], run_b[step]
        parts, largest = [], 0.0
        for part in sorted({*a, *b}):
            if part not in a or part not in b:
                parts.append(part)
                continue
            left, right = dict(_leaves(a[part], ())), dict(_leaves(b[part], ()))
            differs, most = left.keys() != right.keys(), 0.0
            for path in left.keys() & right.keys():
                same, gap = _compare(left[path], right[path], tolerance)
                differs, most = differs or not same, max(most, gap)
            if differs:
                parts.append(part)
                largest = max(largest, most)
        if parts:
            return {"step": step, "parts": parts, "largest": largest}
    return None


def _leaves(value, path):
    if isinstance(value, dict):
        yield (*path, "dict"), len(value)
        for key, item in value.items():
            yield from _leaves(item, (*path, ("key", key)))
    elif isinstance(value, (list, tuple)):
        yield (*path, "list"), len(value)
        for number, item in enumerate(value):
            yield from _leaves(item, (*path, number))
    else:
        yield path, value


def _compare(x, y, tolerance):
    if isinstance(x, float) and isinstance(y, float):
        x, y = (torch.tensor([value], dtype=torch.float64) for value in (x, y))
    if not isinstance(x, torch.Tensor) or not isinstance(y, torch.Tensor):
        return type(x) is type(y) and x == y, 0.0
    if (x.dtype, x.shape) != (y.dtype, y.shape):
        return False, 0.0
    if not x.dtype.is_floating_point:
        return bool((x == y).all()), 0.0
    scale = gap = 0.0
    for a, b in zip(x.detach().flatten().tolist(), y.detach().flatten().tolist(), strict=True):
        if math.isfinite(a) and math.isfinite(b):
            scale, gap = max(scale, abs(a), abs(b)), max(gap, abs(a - b))
        elif not (a == b or (a != a and b != b)):
            return False, math.inf
    relative = gap / scale if gap else 0.0
    return relative <= tolerance, relative


def boundary_report(model, x, tolerance=1e-5, threads=2, compiler=None):
    if x.shape[0] == 0:
        raise ValueError("no rows")
    ways = [("again", model, 1), ("threads", model, threads), ("batch", None, 1)]
    if compiler:
        ways.append(("compiled", compiler(model), 1))
    kept = [parameter.grad for parameter in model.parameters()]
    buffers = [buffer.detach().clone() for buffer in model.buffers()]
    count, rng, report = torch.get_num_threads(), torch.get_rng_state(), {}

    def reset():
        torch.set_rng_state(rng)
        for buffer, value in zip(model.buffers(), buffers, strict=True):
            buffer.data.copy_(value)

    def results(way, number):
        reset()
        torch.set_num_threads(number)
        for parameter in model.parameters():
            parameter.grad = None
        y = way(x) if way else torch.cat([model(row[None]) for row in x])
        y.square().mean().backward()
        return [y.detach()] + [p.grad for p in model.parameters() if p.grad is not None]

    try:
        base = results(model, 1)
        for name, way, number in ways:
            largest = 0.0
            for a, b in zip(base, results(way, number), strict=True):
                a, b = a.flatten().tolist(), b.flatten().tolist()
                pairs = [(p, q) for p, q in zip(a, b, strict=True) if p != q and (p == p or q == q)]
                if any(not math.isfinite(p) or not math.isfinite(q) for p, q in pairs):
                    largest = math.inf
                elif pairs:
                    top = max(abs(p) for p in a if math.isfinite(p))
                    gap = max(abs(p - q) for p, q in pairs)
                    largest = max(largest, gap / top if top else math.inf)
            report[name] = {
                "bitwise": not largest,
                "largest": largest,
                "within": largest <= tolerance,
            }
    finally:
        reset()
        torch.set_num_threads(count)
        for parameter, gradient in zip(model.parameters(), kept, strict=True):
            parameter.grad = gradient
    return report


def closed_book_run(path, steps):
    source = torch.Generator().manual_seed(42)
    x, y = torch.rand(20, 4, generator=source), torch.rand(20, 1, generator=source)
    torch.manual_seed(7)
    w1, w2 = (torch.nn.Parameter(torch.randn(shape) * 0.3) for shape in ((4, 8), (8, 1)))
    optimizer = torch.optim.AdamW([w1, w2], lr=0.05, foreach=False)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=1000)
    done, order = 0, []
    if os.path.isfile(path):
        state = torch.load(path, weights_only=True)
        w1.data, w2.data = state["weights"]
        optimizer.load_state_dict(state["optimizer"])
        scheduler.load_state_dict(state["scheduler"])
        done, order = state["done"], state["order"]
        torch.set_rng_state(state["generator"])
    losses = []
    while done < steps:
        if not order:
            order = torch.randperm(20).tolist()
        chosen, order = order[:6], order[6:]
        hidden = F.dropout(torch.tanh(x[chosen] @ w1), 0.2)
        loss = ((hidden @ w2 - y[chosen]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(float(loss.detach()))
        done += 1
    state = {
        "weights": [w1.data, w2.data],
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "done": done,
        "order": order,
        "generator": torch.get_rng_state(),
    }
    with open(path + "~", "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(path + "~", path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
    return losses
