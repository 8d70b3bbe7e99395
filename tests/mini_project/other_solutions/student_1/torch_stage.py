"""The mini-project: evidence on one training run.

`trainer.py` beside this file is the training run, `adapter.py` what it trains. Nothing here leaves
a setting of torch, a hook or a mode behind it.
"""

import contextlib
import copy
import io
import itertools
import os
import statistics
import weakref

import torch
from torch.utils._pytree import tree_leaves, tree_map

PHASES = ("data_wait", "forward", "backward", "update")

DIFFERENT = 0.5
"""`discriminate` counts, so anything between 0 and 1 parts a sound resume from an unsound one."""


def phase_table(  # noqa: PLR0917 - a run, how long, and two ways to measure
    trainer, batches, steps, warmup, clock, sync, unsynced=None
):
    """Time the phases of a run on a device that works on its own while the host goes on.

    A step is ``next(batches)`` (data_wait), ``trainer.forward(batch)``, which returns a loss,
    ``trainer.backward(loss)`` and ``trainer.update()``. The first `warmup` steps are not timed.
    One reading of the clock ends a phase and begins the next, so that no time falls between two
    phases; the first reading is made right before the first timed batch is asked for. Before each
    reading `sync` waits for the device, but for the readings that end the phase `unsynced`.

    Args:
        trainer: Has the three methods.
        batches: An iterator; it is asked for `warmup` + `steps` batches.
        steps: Timed steps, 20 or more.
        warmup: Untimed steps before them.
        clock: Returns the host's time [s].
        sync: Waits until the device has done everything.
        unsynced: A phase of the four that ends without a sync; None for an honest table.

    Returns:
        A dict: for each of the four phases the list of its times in the timed steps [s].

    Raises:
        ValueError: If `steps` is below 20; nothing is run then.
    """
    if steps < 20:
        raise ValueError(f"{steps} timed steps are too few: 20 or more")
    held = {}

    def wait():
        held["batch"] = next(batches)

    def forward():
        held["loss"] = trainer.forward(held["batch"])

    def backward():
        trainer.backward(held["loss"])

    work = dict(zip(PHASES, (wait, forward, backward, trainer.update), strict=True))
    for _ in range(warmup):
        for do in work.values():
            do()
    sync()
    readings = [clock()]
    for _ in range(steps):
        for phase, do in work.items():
            do()
            if phase != unsynced:
                sync()
            readings.append(clock())
    times = [end - start for start, end in itertools.pairwise(readings)]
    return {phase: times[place :: len(PHASES)] for place, phase in enumerate(PHASES)}


def moved_time(honest, other):
    """Say which sync a second table lacks, and which phase is blamed for the time.

    The two tables are of the same run and differ in one sync. Times are compared by their medians:
    the phase that lost most lacks the sync at its end; the one that gained most has paid for it.
    Nothing has paid if no phase gained more than 1 % of what was lost: the device finished while
    the host waited for something else.

    Args:
        honest: What `phase_table` gives with every sync.
        other: What it gives without one of them.

    Returns:
        A dict: ``"missing_after"`` (a phase), ``"paid_by"`` (a phase or None) and ``"says"``, a
        sentence for people that names the phases, None as ``nothing``.

    Raises:
        ValueError: If no phase lost any time.
    """
    lost = {
        phase: statistics.median(honest[phase]) - statistics.median(other[phase])
        for phase in PHASES
    }
    missing = max(PHASES, key=lost.get)
    if not lost[missing] > 0:
        raise ValueError("no phase lost time, so no sync is missing")
    payer = min(PHASES, key=lost.get)
    paid_by = payer if -lost[payer] > 0.01 * lost[missing] else None
    return {
        "missing_after": missing,
        "paid_by": paid_by,
        "says": f"The sync after {missing} is missing, and {paid_by or 'nothing'} pays for it.",
    }


def memory_table(trainer, batch, meter):
    """Measure the live bytes of one step, phase by phase, with the peak reset before each.

    Args:
        trainer: Has `forward`, `backward` and `update`.
        batch: What the step is made on.
        meter: ``live()`` gives the bytes alive now, ``peak()`` the most since ``reset_peak()``.

    Returns:
        For each of forward, backward and update a dict with ``"before"``, ``"peak"`` and
        ``"after"`` [B].
    """
    table = {}

    def measured(phase, work):
        before = meter.live()
        meter.reset_peak()
        result = work()
        table[phase] = {"before": before, "peak": meter.peak(), "after": meter.live()}
        return result

    loss = measured("forward", lambda: trainer.forward(batch))
    measured("backward", lambda: trainer.backward(loss))
    measured("update", trainer.update)
    return table


class _Kept:
    """A tensor in the hands of the graph; when the graph lets go of it, this object is gone."""

    def __init__(self, tensor):
        self.tensor = tensor


def _storage(tensor):
    return tensor.untyped_storage()._cdata


def _kept_bytes(forward, known):
    """Return the bytes of the storages that the graph of `forward()` keeps, without `known`."""
    kept = weakref.WeakSet()

    def pack(tensor):
        holder = _Kept(tensor)
        kept.add(holder)
        return holder

    hooks = torch.autograd.graph.saved_tensors_hooks(pack, lambda holder: holder.tensor)
    with (
        torch.random.fork_rng(devices=[]),
        torch.enable_grad(),
        torch.autocast("cpu", dtype=torch.float16),
        hooks,
    ):
        output = forward()
    foreign = {_storage(tensor) for tensor in known if isinstance(tensor, torch.Tensor)}
    sizes = {
        _storage(holder.tensor): holder.tensor.untyped_storage().nbytes() for holder in list(kept)
    }
    del output
    return sum(size for storage, size in sizes.items() if storage not in foreign)


def layer_saved_bytes(layer, x):
    """Count what one layer keeps for the backward under fp16 autocast on the CPU.

    Args:
        layer: A module.
        x: Its input; it may or may not require a gradient.

    Returns:
        Bytes of the storages that the graph of ``layer(x)`` keeps, each counted once, without those
        of the layer's parameters and buffers and of `x` (int) [B].
    """
    return _kept_bytes(lambda: layer(x), [*layer.parameters(), *layer.buffers(), *tree_leaves(x)])


def _copied(batch):
    return tree_map(lambda x: x.detach().clone() if isinstance(x, torch.Tensor) else x, batch)


@torch.no_grad()
def _bad(values):
    return any(
        (value.is_floating_point() or value.is_complex()) and not bool(value.isfinite().all())
        for value in tree_leaves(values)
        if isinstance(value, torch.Tensor)
    )


def _first_bad(trainer, batch, run):
    """Call ``run(batch)``, which returns a loss; return where the first bad value of it is."""
    found = ["batch"] if _bad(batch) else []

    def watch(name):
        def hook(_module, _inputs, output):
            if not found and _bad(output):
                found.append(name)

        return hook

    handles = [
        module.register_forward_hook(watch(name))
        for name, module in trainer.model.named_modules()
        if not any(True for _ in module.children())
    ]
    try:
        loss = run(batch)
    finally:
        for handle in handles:
            handle.remove()
    if not found and _bad(loss):
        found.append("loss")
    return found[0] if found else None


def first_invalid(trainer, batches, steps):
    """Train until a value of a forward is not finite, and capture what it takes to see it again.

    In each step the floating-point tensors of the batch are looked at first, then what each module
    without children returns, in the order of the calls, then the loss. The search ends with the
    step that has an invalid value.

    Args:
        trainer: The run; ``trainer.step(batch)`` makes a step.
        batches: An iterator.
        steps: How many steps to make at most.

    Returns:
        None if every value was finite. Otherwise a dict: ``"step"`` (the number of the step, from
        0), ``"module"`` (name of the module in ``trainer.model.named_modules()``, or ``"batch"``
        or ``"loss"``), ``"batch"`` (the step's batch) and ``"state"``
        (``trainer.state_dict()`` as it was after the batch was fetched and before the step). All of
        it can be saved, and loaded with ``weights_only=True``.
    """
    for number, batch in enumerate(itertools.islice(batches, steps)):
        capture = {
            "step": number,
            "batch": _copied(batch),
            "state": copy.deepcopy(trainer.state_dict()),
        }
        where = _first_bad(trainer, batch, trainer.step)
        if where is not None:
            return {**capture, "module": where}
    return None


def replay(capture, trainer):
    """Make the forward of a captured step again, in a run that knows nothing of it.

    Args:
        capture: What `first_invalid` gave, perhaps through a file. Its state, its batch: the name
            in it is not believed.
        trainer: Another run of the same program, anywhere in its training.

    Returns:
        Where the first value that is not finite is, named as `first_invalid` names it; None if
        there is none.
    """
    trainer.load_state_dict(copy.deepcopy(capture["state"]))
    return _first_bad(trainer, _copied(capture["batch"]), trainer.forward)


def repaired(seed):
    """Return a new run of your repaired trainer, all of it fixed by the seed.

    Repair `trainer.py`, then hand it in here: ``import trainer`` and return
    ``trainer.make_trainer(seed)``. The loss keeps its weight, the forward its mixed precision, and
    each update clips the gradients to ``max_norm * loss_weight``. A trainer of your own has what
    the one in `trainer.py` has: the attributes, and `stream`, `objective`, `forward`, `backward`,
    `update`, `step`, `state_dict` and `load_state_dict`; there may be no `scheduler` and no
    `scaler`.
    """
    import trainer  # noqa: PLC0415 - it lies beside this file only in a project

    return trainer.make_trainer(seed)


def _future(run):
    """Go on with a run; return 6 losses, what they led to, and the batches that come after."""
    batches = run.stream()
    losses = [run.step(next(batches)) for _ in range(6)]
    parts = [
        None if part is None else copy.deepcopy(part.state_dict())
        for part in (run.model, run.optimizer, run.scheduler, run.scaler)
    ]
    return [*losses, *parts, run.steps, [next(batches) for _ in range(130)]]


def _same(mine, yours):
    """Return whether two values are the same, bit for bit; a NaN is itself."""
    if isinstance(mine, torch.Tensor) and isinstance(yours, torch.Tensor):
        return mine.shape == yours.shape and mine.dtype == yours.dtype and _bits(mine) == _bits(yours)
    if isinstance(mine, dict) and isinstance(yours, dict):
        return mine.keys() == yours.keys() and all(_same(mine[key], yours[key]) for key in mine)
    if isinstance(mine, (list, tuple)) and isinstance(yours, (list, tuple)):
        return len(mine) == len(yours) and all(map(_same, mine, yours))
    return mine is yours or mine == yours


def _bits(tensor):
    return tensor.detach().contiguous().flatten().view(torch.uint8).numpy().tobytes()


def discriminate(make_trainer):
    """Measure what tells your fault from the other four, and from no fault at all.

    Args:
        make_trainer: Makes a run from a seed; it may have your fault, one of the others or none.

    Returns:
        A finite number: above the `threshold` in `postmortem.toml` if the run has your fault, below
        it for a sound run and for each of the other four faults, wherever they are.
    """
    with torch.random.fork_rng(devices=[]):
        run = make_trainer(0)
        batches = run.stream()
        for _ in range(6):
            run.step(next(batches))
        state = run.state_dict()
        unbroken = _future(run)

        other = make_trainer(0)
        batches = other.stream()
        for _ in range(2):
            other.step(next(batches))
        other.backward(other.forward(next(batches)))
        for parameter in other.model.parameters():
            parameter.grad = torch.full_like(parameter, float("inf"))
        other.update()
        for _ in range(70):
            next(batches)
        other.load_state_dict(state)
        resumed = _future(other)
    return float(sum(not _same(mine, yours) for mine, yours in zip(unbroken, resumed, strict=True)))


def guard(make_trainer):
    """Be the test that keeps your fault from coming back: fail on any run that has it.

    Args:
        make_trainer: Makes a run from a seed.

    Raises:
        AssertionError: If the run has your fault, at whatever place, with a sentence that says what
            was measured. A sound run passes.
    """
    differing = discriminate(make_trainer)
    if differing > DIFFERENT:
        raise AssertionError(
            f"{differing:.0f} of 12 things that were compared (6 losses, model, optimizer, "
            "scheduler, scaler, steps, later batches) differ between an unbroken run and a run "
            "that was resumed from its state: the state leaves something out"
        )


def optimized(seed):
    """Return a run like `repaired(seed)`, with one optimization.

    It computes the same as the repaired one within the `tolerance` of `optimization.toml`, learns
    the same, and its parameters have the same names. What it is for, and what it gains, is
    claimed in `optimization.toml`.
    """
    run = repaired(seed)
    slow = run.optimizer
    settings = {key: slow.defaults[key] for key in ("lr", "betas", "eps", "weight_decay")}
    run.optimizer = torch.optim.AdamW(run.model.parameters(), fused=True, **settings)
    run.scheduler = torch.optim.lr_scheduler.LambdaLR(
        run.optimizer, run.scheduler.lr_lambdas[0]
    )
    return run


def save_run(trainer, path):
    """Write everything that the next step of a run depends on to one file, whole.

    At every moment, and after a kill or a power loss at any moment, `resume_run` finds under `path`
    what was there before, or the new state. When the function returns, the new state is safe. No
    other file is left. The run is left as it was.

    Args:
        trainer: The run, between two steps.
        path: The file; its folder exists, and an older state may be there.
    """
    content = io.BytesIO()
    torch.save(trainer.state_dict(), content)
    folder, name = os.path.split(os.path.abspath(path))
    partial = os.path.join(folder, f".{name}.partial")
    try:
        with open(partial, "wb") as file:
            file.write(content.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, os.path.join(folder, name))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        raise
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def resume_run(trainer, path):
    """Put a run into the state that `save_run` wrote, so that it goes on bit for bit.

    Args:
        trainer: A run of the same program and seed, anywhere in its training.
        path: The file.

    Raises:
        Exception: Whatever a file that is torn, or is no state, makes `torch.load` raise; it is
            read with ``weights_only=True``. The run is then what it was.
    """
    state = torch.load(path, weights_only=True)
    before = trainer.state_dict()
    try:
        trainer.load_state_dict(state)
    except BaseException:
        trainer.load_state_dict(before)
        raise
