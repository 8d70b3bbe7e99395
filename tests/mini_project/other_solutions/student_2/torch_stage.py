"""The mini-project: evidence on one training run.

`trainer.py` beside this file is the training run, `adapter.py` what it trains. Nothing here leaves
a setting of torch, a hook or a mode behind it.
"""

import contextlib
import copy
import io
import os
import statistics
import weakref
from pathlib import Path

import torch
from torch.utils.checkpoint import checkpoint

PHASES = ("data_wait", "forward", "backward", "update")


class _Box:
    """Holds a saved tensor; alive as long as a node of a graph holds it."""

    def __init__(self, tensor):
        self.tensor = tensor


def _finite(value):
    """Say whether every floating-point tensor in a nest of containers is finite."""
    if isinstance(value, torch.Tensor):
        return not value.is_floating_point() or bool(torch.isfinite(value).all())
    if isinstance(value, dict):
        return all(map(_finite, value.values()))
    if isinstance(value, (tuple, list)):
        return all(map(_finite, value))
    return True


@contextlib.contextmanager
def _watch(model):
    """Give the names of the modules without children that return a value that is not finite."""
    seen, handles = [], []

    def look(name, value):
        if not seen and not _finite(value):
            seen.append(name)

    for name, module in model.named_modules():
        if next(module.children(), None) is None:
            hook = lambda _, args, out, name=name: look(name, out)  # noqa: E731
            handles.append(module.register_forward_hook(hook))
    try:
        yield seen
    finally:
        for handle in handles:
            handle.remove()


def _where(batch, seen, loss):
    """Name the first value that is not finite, or None."""
    if not _finite(tuple(batch)):
        return "batch"
    if seen:
        return seen[0]
    return None if _finite(loss) else "loss"


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
        raise ValueError(f"a median of {steps} steps says little: 20 or more")
    if unsynced is not None and unsynced not in PHASES:
        raise ValueError(f"no phase is called {unsynced!r}")
    reached = []

    def read(ended=None):
        if ended is None or ended != unsynced:
            sync()
        reached.append(clock())

    def make(after):
        batch = next(batches)
        after("data_wait")
        loss = trainer.forward(batch)
        after("forward")
        trainer.backward(loss)
        after("backward")
        trainer.update()
        after("update")

    for _ in range(warmup):
        make(lambda phase: None)
    read()
    for _ in range(steps):
        make(read)
    lengths = [later - earlier for earlier, later in zip(reached, reached[1:])]
    return {phase: lengths[i :: len(PHASES)] for i, phase in enumerate(PHASES)}


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
    change = {p: statistics.median(other[p]) - statistics.median(honest[p]) for p in PHASES}
    least, most = min(PHASES, key=change.get), max(PHASES, key=change.get)
    lost = -change[least]
    if not lost > 0:
        raise ValueError("no phase lost any time")
    paid = most if change[most] > 0.01 * lost else None
    return {
        "missing_after": least,
        "paid_by": paid,
        "says": f"The sync after {least} is missing, and {paid or 'nothing'} pays for its time.",
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

    def measured(phase, run, *arguments):
        before = meter.live()
        meter.reset_peak()
        result = run(*arguments)
        table[phase] = {"before": before, "peak": meter.peak(), "after": meter.live()}
        return result

    loss = measured("forward", trainer.forward, batch)
    measured("backward", trainer.backward, loss)
    measured("update", trainer.update)
    return table


def layer_saved_bytes(layer, x):
    """Count what one layer keeps for the backward under fp16 autocast on the CPU.

    Args:
        layer: A module.
        x: Its input; it may or may not require a gradient.

    Returns:
        Bytes of the storages that the graph of ``layer(x)`` keeps, each counted once, without those
        of the layer's parameters and buffers and of `x` (int) [B].
    """
    kept = weakref.WeakSet()

    def pack(tensor):
        box = _Box(tensor)
        kept.add(box)
        return box

    with (
        torch.enable_grad(),
        torch.autograd.graph.saved_tensors_hooks(pack, lambda box: box.tensor),
        torch.autocast("cpu", dtype=torch.float16),
    ):
        out = layer(x)
    # Whatever no node of the graph of `out` holds has left the set by now.
    known = {t.untyped_storage().data_ptr() for t in (x, *layer.parameters(), *layer.buffers())}
    storages = {}
    for box in kept:
        storage = box.tensor.untyped_storage()
        if storage.data_ptr() not in known:
            storages[storage.data_ptr()] = storage.nbytes()
    del out
    return sum(storages.values())


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
    for number, batch in zip(range(steps), batches):
        kept = tuple(t.clone() for t in batch)
        state = copy.deepcopy(trainer.state_dict())
        with _watch(trainer.model) as seen:
            loss = trainer.step(batch)
        where = _where(kept, seen, loss)
        if where is not None:
            return {"step": number, "module": where, "batch": kept, "state": state}
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
    trainer.load_state_dict(capture["state"])
    batch = tuple(t.clone() for t in capture["batch"])
    with _watch(trainer.model) as seen:
        loss = trainer.forward(batch)
    return _where(capture["batch"], seen, loss)


def repaired(seed):
    """Return a new run of your repaired trainer, all of it fixed by the seed.

    Repair `trainer.py`, then hand it in here: ``import trainer`` and return
    ``trainer.make_trainer(seed)``. The loss keeps its weight, the forward its mixed precision, and
    each update clips the gradients to ``max_norm * loss_weight``. A trainer of your own has what
    the one in `trainer.py` has: the attributes, and `stream`, `objective`, `forward`, `backward`,
    `update`, `step`, `state_dict` and `load_state_dict`; there may be no `scheduler` and no
    `scaler`.
    """
    import trainer

    return trainer.make_trainer(seed)


def discriminate(make_trainer):
    """Measure what tells your fault from the other four, and from no fault at all.

    Args:
        make_trainer: Makes a run from a seed; it may have your fault, one of the others or none.

    Returns:
        A finite number: above the `threshold` in `postmortem.toml` if the run has your fault, below
        it for a sound run and for each of the other four faults, wherever they are.
    """
    run = make_trainer(0)
    batch = next(run.stream())
    graphs = []

    def backend(graph, _):
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    try:
        with torch.autocast("cpu", dtype=torch.float16):
            torch.compile(run.objective, fullgraph=True, backend=backend)(batch)
    except torch._dynamo.exc.TorchDynamoException:
        return 1.0
    finally:
        torch._dynamo.reset()
    return 0.0 if len(graphs) == 1 else 1.0


def guard(make_trainer):
    """Be the test that keeps your fault from coming back: fail on any run that has it.

    Args:
        make_trainer: Makes a run from a seed.

    Raises:
        AssertionError: If the run has your fault, at whatever place, with a sentence that says what
            was measured. A sound run passes.
    """
    breaks = discriminate(make_trainer)
    if breaks > 0.5:
        raise AssertionError(
            f"torch.compile could not capture `objective` as one graph (graph_breaks = {breaks:g})"
        )


def optimized(seed):
    """Return a run like `repaired(seed)`, with one optimization.

    It computes the same as the repaired one within the `tolerance` of `optimization.toml`, learns
    the same, and its parameters have the same names. What it is for, and what it gains, is
    claimed in `optimization.toml`.
    """
    run = repaired(seed)
    cell = run.model.cell

    def segment(h, given):
        for now in given.unbind(1):
            gate, candidate = cell.gates(now + cell.hidden(h))
            h = h + gate * (candidate - h)
        return h

    def forward(sequence):
        given = cell.input(sequence)
        h = cell.start.expand(sequence.shape[0], cell.start.shape[0])
        for part in given.split(2, dim=1):
            h = checkpoint(segment, h, part, use_reentrant=False, preserve_rng_state=False)
        return h

    cell.forward = forward
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
    path = Path(path)
    buffer = io.BytesIO()
    torch.save(trainer.state_dict(), buffer)
    fresh = path.with_name(path.name + ".new")
    try:
        with fresh.open("wb") as file:
            file.write(buffer.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


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
