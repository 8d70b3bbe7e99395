"""The mini-project: evidence on one training run.

`trainer.py` beside this file is the training run, `adapter.py` what it trains. Nothing here leaves
a setting of torch, a hook or a mode behind it.
"""

import contextlib
import os
import statistics
import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

PHASES = ("data_wait", "forward", "backward", "update")


def phase_table(  # noqa: PLR0917 - a run, how long, and two ways to measure
    trainer, batches, steps, warmup, clock, sync, unsynced=None
):
    """Time the phases of a run on a device that works on its own while the host goes on.

    A step is ``next(batches)`` (data_wait), ``trainer.forward(batch)``, which returns a loss,
    ``trainer.backward(loss)`` and ``trainer.update()``. The first `warmup` steps are not timed.
    One reading of the clock ends a phase and begins the next, so that no time falls between two
    phases; the first reading is made right before the first timed batch is asked for. Before each
    reading `sync` waits for the device, but for the readings that end the phase `unsynced`; before
    the first reading it waits always.

    Args:
        trainer: Has the three methods.
        batches: An iterator; it is asked for `warmup` + `steps` batches.
        steps: Timed steps, 20 or more.
        warmup: Untimed steps before them.
        clock: Returns the host's time [s].
        sync: Waits until the device has done everything.
        unsynced: A phase of the four that ends without a sync, None for an honest table; it is
            never anything else.

    Returns:
        A dict: for each of the four phases the list of its times in the timed steps [s].

    Raises:
        ValueError: If `steps` is below 20; nothing is run then.
    """
    raise NotImplementedError("mini-project.a")


def moved_time(honest, other):
    """Say which sync a second table lacks, and which phase is blamed for the time.

    The two tables are of the same run and differ in one sync. Times are compared by their medians:
    the phase that lost most lacks the sync at its end; the one that gained most has paid for it.
    Nothing has paid if no phase gained more than 1 % of what that phase lost: the device finished
    while the host waited for something else.

    Args:
        honest: What `phase_table` gives with every sync.
        other: What it gives without one of them.

    Returns:
        A dict: ``"missing_after"`` (a phase), ``"paid_by"`` (a phase or None) and ``"says"``, a
        sentence for people that names the phases, None as ``nothing``.

    Raises:
        ValueError: If no phase lost any time.
    """
    raise NotImplementedError("mini-project.b")


def memory_table(trainer, batch, meter):
    """Measure the live bytes of one step, phase by phase, with the peak reset before each.

    Whether the loss is kept until the update ends makes no difference that is looked at.

    Args:
        trainer: Has `forward`, `backward` and `update`.
        batch: What the step is made on.
        meter: ``live()`` gives the bytes alive now, ``peak()`` the most since ``reset_peak()``.

    Returns:
        For each of forward, backward and update a dict with ``"before"``, ``"peak"`` and
        ``"after"`` [B].
    """
    raise NotImplementedError("mini-project.c")


def layer_saved_bytes(layer, x):
    """Count what one layer keeps for the backward under fp16 autocast on the CPU.

    Args:
        layer: A module.
        x: Its input; it may or may not require a gradient.

    Returns:
        Bytes of the storages that the graph of ``layer(x)`` keeps, each counted once, without those
        of the layer's parameters and buffers and of `x`; an fp16 copy of one of these is a storage
        of its own and counts (int) [B].
    """
    raise NotImplementedError("mini-project.d")


def first_invalid(trainer, batches, steps):
    """Train until a value of a forward is not finite, and capture what it takes to see it again.

    In each step the floating-point tensors of the batch are looked at first, then what each module
    without children returns (a tensor, or the tensors in a tuple), in the order of the calls, then
    the loss. The search ends with the step that has an invalid value, made or not.

    Args:
        trainer: The run; ``trainer.step(batch)`` makes a step.
        batches: An iterator; it has `steps` batches or more.
        steps: How many steps to make at most.

    Returns:
        None if every value was finite. Otherwise a dict: ``"step"`` (how many steps of this search
        came before it), ``"module"`` (name of the module in ``trainer.model.named_modules()``, or
        ``"batch"`` or ``"loss"``), ``"batch"`` (the step's batch) and ``"state"``
        (``trainer.state_dict()`` as it was after the batch was fetched and before the step). All of
        it can be saved, and loaded with ``weights_only=True``.
    """
    raise NotImplementedError("mini-project.e")


def replay(capture, trainer):
    """Make the forward of a captured step again, in a run that knows nothing of it.

    The run is left in the captured state, but for what a forward changes.

    Args:
        capture: What `first_invalid` gave, perhaps through a file. Its state, its batch: the name
            in it is not believed.
        trainer: Another run of the same program, anywhere in its training.

    Returns:
        Where the first value that is not finite is, named as `first_invalid` names it; None if
        there is none.
    """
    raise NotImplementedError("mini-project.f")


def repaired(seed):
    """Return a new run of your repaired trainer, all of it fixed by the seed.

    Repair `trainer.py`, then hand it in here: ``import trainer`` and return
    ``trainer.make_trainer(seed)``. The loss keeps its weight, the forward its mixed precision, and
    each update clips the gradients to ``max_norm * loss_weight``. A trainer of your own has what
    the one in `trainer.py` has: the attributes, and `stream`, `objective`, `forward`, `backward`,
    `update`, `step`, `state_dict` and `load_state_dict`; there may be no `scheduler` and no
    `scaler`.
    """
    raise NotImplementedError("mini-project.g")


def discriminate(make_trainer):
    """Measure what tells your fault from the other four, and from no fault at all.

    Args:
        make_trainer: Makes a run from a seed; it may have your fault, one of the others or none.
            It has all that the one in `trainer.py` has, attributes such as `order` too.

    Returns:
        A finite number: above the `threshold` in `postmortem.toml` if the run has your fault, below
        it for a sound run and for each of the other four faults, wherever they are.
    """
    raise NotImplementedError("mini-project.h")


def guard(make_trainer):
    """Be the test that keeps your fault from coming back: fail on any run that has it.

    Args:
        make_trainer: Makes a run from a seed.

    Raises:
        AssertionError: If the run has your fault, at whatever place, with a sentence that says what
            was measured. A sound run passes.
    """
    raise NotImplementedError("mini-project.i")


def optimized(seed):
    """Return a run like `repaired(seed)`, with one optimization.

    It computes the same as the repaired one within the `tolerance` of `optimization.toml`, learns
    the same, and its parameters have the same names. What it is for, and what it gains, is
    claimed in `optimization.toml`.
    """
    raise NotImplementedError("mini-project.j")


def save_run(trainer, path):
    """Write everything that the next step of a run depends on to one file, whole.

    At every moment, and after a kill or a power loss at any moment, `resume_run` finds under `path`
    what was there before, or the new state. When the function returns, the new state is safe. No
    other file is left. The run is left as it was.

    Args:
        trainer: The run, between two steps.
        path: The file; its folder exists, and an older state may be there.
    """
    raise NotImplementedError("mini-project.k")


def resume_run(trainer, path):
    """Put a run into the state that `save_run` wrote, so that it goes on bit for bit.

    Args:
        trainer: A run of the same program and seed, anywhere in its training.
        path: The file.

    Raises:
        Exception: Whatever a file that was cut short makes `torch.load` raise; it is read with
            ``weights_only=True``. The run is then what it was.
    """
    raise NotImplementedError("mini-project.l")
