"""Unit 8.7, PyTorch stage: the whole state of a run, saved to survive, and equality defined first.

Everything runs on a CPU. Nothing here leaves a setting of torch changed behind it.
"""

import contextlib
import copy
import io
import os
import random
import re
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Run:
    """A training run, as `run_state` and `restore_run` meet it. Given; there is nothing to write.

    Attributes:
        model: The model; may be what `torch.compile` returned, and may share parameters.
        optimizer: Its optimizer.
        scheduler: A learning rate scheduler, or None.
        scaler: A `torch.amp.GradScaler`, or None.
        ema: A second module of the same architecture with averaged weights, or None.
        generator: The loader's own `torch.Generator`, which draws the order of each epoch.
        before_epoch: The generator's state from before the order of this epoch was drawn.
        order: The order of this epoch, int64 ``[n]``; None if it is not drawn yet.
        position: How many batches of the epoch were used.
        epoch: Number of this epoch, from 0.
        step: Steps made.
    """

    def __init__(  # noqa: PLR0917 - the parts of a run
        self, model, optimizer, scheduler, scaler, ema, data, batch_size, seed
    ):
        """Keep the parts; the data is a pair ``x [n, d]``, ``y [n]``."""
        self.model, self.optimizer, self.scheduler = model, optimizer, scheduler
        self.scaler, self.ema = scaler, ema
        (self.x, self.y), self.batch_size = data, batch_size
        self.generator = torch.Generator().manual_seed(seed)
        self.before_epoch = self.generator.get_state()
        self.order = None
        self.position = self.epoch = self.step = 0

    def next_batch(self):
        """Return the next batch; an order that is not there is drawn first."""
        if self.order is None:
            self.before_epoch = self.generator.get_state()
            self.order = torch.randperm(len(self.x), generator=self.generator)
        start = self.position * self.batch_size
        chosen = self.order[start : start + self.batch_size]
        self.position += 1
        if self.position * self.batch_size >= len(self.x):
            self.position, self.order, self.epoch = 0, None, self.epoch + 1
            self.before_epoch = self.generator.get_state()
        return self.x[chosen], self.y[chosen]

    def train_step(self):
        """Make one step with noise from all three global generators; return the loss."""
        x, y = self.next_batch()
        x = x * random.choice((0.9, 1.1)) + 0.01 * float(np.random.standard_normal())
        loss = F.mse_loss(self.model(x).squeeze(-1), y)
        self.optimizer.zero_grad()
        if self.scaler is None:
            loss.backward()
            self.optimizer.step()
        else:
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
        if self.scheduler is not None:
            self.scheduler.step()
        if self.ema is not None:
            with torch.no_grad():
                for mean, now in zip(self.ema.parameters(), self.model.parameters(), strict=True):
                    mean.lerp_(now, 0.1)
        self.step += 1
        return loss.detach()


def run_state(run):
    """Return everything the next steps of a run depend on, as it is now.

    The state is a copy: what the run does afterwards does not change it. It holds only what
    ``torch.load(..., weights_only=True)`` accepts. The run is left as it was: no generator moves.

    Args:
        run: A `Run`, or anything with its attributes; between two steps.

    Returns:
        A dict with

        - ``"model"``: the model's state dict, buffers included, with the names that the parameters
          have without `torch.compile` (no ``_orig_mod.``).
        - ``"optimizer"``: its state dict.
        - ``"scheduler"``, ``"scaler"``: their state dicts, None where the run has none.
        - ``"ema"``: the averaged module's state dict, None where the run has none. It stands beside
          the model's own weights and never in their place.
        - ``"loader"``: what it takes to go on with the very batch that is next, also in the middle
          of an epoch: state of the generator, position, epoch.
        - ``"step"``: steps made (int).
        - ``"rng"``: the states of torch's, Python's (`random`) and NumPy's global generators, and
          of the CUDA devices where there are any.

        How the values of ``"loader"`` and ``"rng"`` look is up to you.
    """
    raise NotImplementedError("8.7.f")


def restore_run(run, state):
    """Put a run into a state, so that it goes on bit for bit as the saved one would have.

    The run may be a new one, with other weights and another seed, or one that has made steps; all
    generators may stand anywhere. Its tensors are filled in place: parameters that are shared stay
    shared, and the optimizer keeps the parameters it has. The state is not changed and shares no
    memory with the run afterwards, so that it can be restored again.

    Args:
        run: A `Run` of the same architecture.
        state: What `run_state` gave, perhaps through a file.

    Raises:
        ValueError: If a part is missing from the state, or only one of the state and the run has a
            scheduler, a scaler or an ema. The run is then what it was.
    """
    raise NotImplementedError("8.7.g")


def save_checkpoint(state, folder, keep=3):
    """Write a state to ``folder/step-00000012.pt`` (eight digits, from ``state["step"]``), whole.

    The file is one `torch.save` of the whole state. For the name of the new file holds what
    `atomic_write` of the NumPy stage promises: at every moment, and after a power loss at any
    moment, `load_latest` finds the newest of the checkpoints that were there, or the new one; when
    the function returns, the new one survives a power loss; a failure raises, leaves the old ones,
    and no other file.

    Then older checkpoints go: those with the `keep` highest steps stay, and the one just written.
    None goes before the new one is safe on the disk. Files with other names are let alone. A
    checkpoint of the same step is replaced.

    Args:
        state: A dict with ``"step"``, an int.
        folder: Where; it exists.
        keep: 1 or more.

    Returns:
        The path of the file.

    Raises:
        OSError, RuntimeError: Whatever the system or `torch.save` raises.
        ValueError: If `keep` is below 1; nothing is written then.
    """
    raise NotImplementedError("8.7.h")


def load_latest(folder):
    """Return the state with the highest step among the checkpoints that can be loaded whole.

    Only files named as `save_checkpoint` names them are looked at. A file that is cut short, empty,
    no checkpoint at all, or that needs more than ``weights_only=True`` is passed over, whatever its
    step; nothing in it is run. Tensors come to the CPU.

    Args:
        folder: The folder.

    Returns:
        The state.

    Raises:
        FileNotFoundError: If the folder does not exist, or no checkpoint in it can be loaded.
    """
    raise NotImplementedError("8.7.i")


def first_divergence(run_a, run_b, tolerance=0.0):
    """Return where two runs first differ, with all of their state compared.

    A run comes as the list of its states, one a step. A state is made of dicts with text or
    integers as keys, lists, tuples, tensors, numbers, text, bools and None.

    Two floats x and y (of a and b) agree if they have the same bits, are both NaN, or are finite
    with ``|x - y| <= tolerance * max(|x|, |y|)``; two float tensors agree if dtype and shape are
    the same, NaN and infinities stand at the same places, and the other entries differ by at most
    `tolerance` times the largest absolute finite entry of both. With tolerance 0 they must be equal
    (0.0 and -0.0 are). Everything else agrees only if it is equal, whatever the tolerance:
    integers, bools, text, tensors of other dtypes, and which keys there are. A tuple and a list
    with the same entries agree; an int and a float do not, nor an int and a bool.

    Args:
        run_a: List of states.
        run_b: List of states.
        tolerance: Relative, 0 or more.

    Returns:
        None if all states agree and both lists have the same length. Otherwise ``{"step": index of
        the first states that differ, "parts": sorted list of the top-level keys that differ there,
        "largest": the largest difference there}``. ``largest`` is, over all float tensors and
        floats of the differing parts that can be subtracted, the largest of ``|x - y|`` over the
        scale that the tolerance is relative to (a float; 0.0 if nothing of that kind differs, inf
        where NaN or infinities do not match). If one list is shorter and all its states agree, the
        step is its length and ``parts`` is empty.

    Raises:
        ValueError: If the tolerance is negative or NaN.
    """
    raise NotImplementedError("8.7.j")


def boundary_report(model, x, tolerance=1e-5, threads=2, compiler=None):
    """Say which boundaries change the bits of a model's outputs and gradients, and by how much.

    The outputs are ``model(x)``, the gradients those of ``model(x).square().mean()`` with respect
    to the parameters that need one. The baseline computes them eagerly, all rows at once, with one
    thread. Each boundary changes one thing about it:

    - ``"again"``: nothing. What differs here is not deterministic at all.
    - ``"threads"``: computed with `threads` threads.
    - ``"batch"``: each row on its own, the outputs joined; the loss is of the joined outputs.
    - ``"compiled"``: by ``compiler(model)``, only if a compiler is given (for example
      ``lambda model: torch.compile(model, backend="eager")``).

    torch's global generator is in the same state at the beginning of each, so that dropout draws
    the same; afterwards it is as it was before the call. So are the number of threads, the mode of
    the model, its buffers and the ``grad`` of its parameters.

    Args:
        model: A module whose output has the batch as first dimension.
        x: Inputs ``[b, ...]``, b of 1 or more.
        tolerance: What counts as the same, declared before anything is measured.
        threads: For the second boundary.
        compiler: Function from a model to a callable, or None.

    Returns:
        For each boundary a dict ``{"bitwise": bool, "largest": float, "within": bool}``: whether
        all outputs and gradients are equal; the largest absolute difference of a tensor over the
        largest absolute entry of the baseline's tensor, of all tensors the largest (0.0 where they
        are equal; inf where NaN or infinite entries do not match, or only the baseline's are all
        zeros); and whether that is at most the tolerance.

    Raises:
        ValueError: If x has no rows.
    """
    raise NotImplementedError("8.7.k")


def closed_book_run(path, steps):
    """Closed book: a training run that can be stopped at any step and goes on bit for bit.

    Without notes, on a CPU: if there is no file at `path`, begin a run of a small mlp with dropout,
    with AdamW, a learning rate that a scheduler changes at each step, and batches drawn in a
    shuffled order from data that you make. If there is a file, it was written by an earlier call,
    in another process: go on from it, read with ``weights_only=True``. Train until the run has made
    `steps` steps in all, then write its complete state to `path`, atomically and durably as
    `atomic_write` promises, and return.

    A run made in pieces equals one made at once: same losses, bit for bit, and after the last piece
    the same state in the file. Each process starts with its generators in a state of its own, so a
    fresh run seeds what it uses.

    Args:
        path: The file, text.
        steps: Steps the run shall have made, not fewer than it has made already.

    Returns:
        The losses of the steps of this call, a list of floats.
    """
    raise NotImplementedError("8.7.l")
