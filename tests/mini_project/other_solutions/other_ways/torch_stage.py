"""The tasks solved in other ways than the reference, with an honest null for an optimization."""

import io
import itertools
import os
import statistics

import torch
from trainer import make_trainer as make_repaired


def phase_table(trainer, batches, steps, warmup, clock, sync, unsynced=None):
    if steps < 20:
        raise ValueError("too few")
    work = {"forward": None, "backward": None, "update": None}
    readings = []
    held = {}

    def data_wait():
        held["batch"] = next(batches)

    def forward():
        held["loss"] = trainer.forward(held["batch"])

    def backward():
        trainer.backward(held.pop("loss"))

    work = {
        "data_wait": data_wait, "forward": forward, "backward": backward, "update": trainer.update
    }  # fmt: skip
    for _ in range(warmup):
        for run in work.values():
            run()
    sync()
    readings.append(clock())
    for _ in range(steps):
        for phase, run in work.items():
            run()
            if phase != unsynced:
                sync()
            readings.append(clock())
    spans = [b - a for a, b in itertools.pairwise(readings)]
    return {phase: spans[index::4] for index, phase in enumerate(work)}


def moved_time(honest, other):
    change = sorted((statistics.median(other[p]) - statistics.median(honest[p]), p) for p in honest)
    (lost, missing), (won, paid) = change[0], change[-1]
    if not lost < 0:
        raise ValueError("no difference")
    payer = paid if won > 0.01 * -lost else None
    who = payer if payer else "nothing"
    return {
        "missing_after": missing,
        "paid_by": payer,
        "says": f"The sync after {missing} is gone; {who} is charged for the work.",
    }


def memory_table(trainer, batch, meter):
    rows = []

    def begin():
        meter.reset_peak()
        rows.append([meter.live()])

    def end():
        rows[-1] += [meter.peak(), meter.live()]

    begin()
    loss = trainer.forward(batch)
    end()
    begin()
    trainer.backward(loss)
    del loss
    end()
    begin()
    trainer.update()
    end()
    keys = ("before", "peak", "after")
    phases = ("forward", "backward", "update")
    return {
        phase: dict(zip(keys, row, strict=True))
        for phase, row in zip(phases, rows, strict=True)
    }  # fmt: skip


def layer_saved_bytes(layer, x):
    outside = [*layer.parameters(), *layer.buffers(), x]
    addresses = {t.untyped_storage()._cdata for t in outside}
    seen = []
    with torch.autocast("cpu", torch.float16):
        hooks = torch.autograd.graph.saved_tensors_hooks(
            lambda t: seen.append(t.detach()) or t.detach(), lambda t: t
        )
        with hooks:
            result = layer(x)
    sizes = {t.untyped_storage()._cdata: t.untyped_storage().nbytes() for t in seen}
    del result
    return sum(size for key, size in sizes.items() if key not in addresses)


def _bad(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point() and bool(
        (~value.isfinite()).any()
    )  # fmt: skip


def _watch(trainer, batch, run):
    place = next(("batch" for one in batch if _bad(one)), None)
    names = {m: n for n, m in trainer.model.named_modules() if not list(m.children())}
    order = []

    def hook(module, inputs, output):
        if _bad(output):
            order.append(names[module])

    handles = [module.register_forward_hook(hook) for module in names]
    try:
        loss = run(batch)
    finally:
        for handle in handles:
            handle.remove()
    if place:
        return place
    return order[0] if order else ("loss" if _bad(loss) else None)


def first_invalid(trainer, batches, steps):
    made = 0
    while made < steps:
        batch = tuple(next(batches))
        buffer = io.BytesIO()
        torch.save({"step": made, "batch": batch, "state": trainer.state_dict()}, buffer)
        place = _watch(trainer, batch, trainer.step)
        if place:
            buffer.seek(0)
            return {**torch.load(buffer, weights_only=True), "module": place, "note": "captured"}
        made += 1
    return None


def replay(capture, trainer):
    trainer.load_state_dict(capture["state"])
    return _watch(trainer, capture["batch"], trainer.step)


def repaired(seed):
    return make_repaired(seed)


def discriminate(make_trainer):
    """How far the optimizer's gradients are from the loss's own, in powers of two."""
    run = make_trainer(3)
    batch = next(run.stream())
    kept = torch.get_rng_state()
    weights = list(run.model.parameters())
    run.max_norm = 1e9
    with torch.autocast("cpu", torch.float16, enabled=False):
        true = torch.autograd.grad(run.objective(batch) * 2.0**14, weights)
    torch.set_rng_state(kept)
    run.max_norm = 0.5
    size = min(torch.cat([g.flatten() for g in true]).norm().item(), 0.5)
    seen = []

    def look(*_):
        seen.append(torch.cat([p.grad.flatten().double() for p in weights]).norm().item())

    run.optimizer.register_step_pre_hook(look)
    run.step(batch)
    return float(torch.tensor(size * 2.0**-14 / seen[0]).log2())


def guard(make_trainer):
    octaves = discriminate(make_trainer)
    if octaves > 6:
        raise AssertionError(f"gradients at the optimizer are 2^{octaves:.0f} times too short")


def optimized(seed):
    run = make_repaired(seed)
    drop = run.optimizer.zero_grad
    run.optimizer.zero_grad = lambda set_to_none=True: drop(set_to_none=True)
    return run


def save_run(trainer, path):
    path = os.fspath(path)
    buffer = io.BytesIO()
    torch.save(trainer.state_dict(), buffer)
    draft = f"{path}.{os.getpid()}.part"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        view = memoryview(buffer.getvalue())
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
    finally:
        os.close(handle)
    os.rename(draft, path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(folder)
    os.close(folder)


def resume_run(trainer, path):
    with open(path, "rb") as file:
        state = torch.load(io.BytesIO(file.read()), weights_only=True)
    trainer.load_state_dict(state)
