"""Unit 8.9, PyTorch stage: profile a training step, reconcile its FLOPs, verify an optimization.

A *trainer* here is anything with the interface of `compact.trainer.Trainer`: ``fetch(iterator)``
returns a batch, ``transfer(batch)`` returns ``(x, y)``, ``forward(x, y)`` a loss,
``backward(loss)`` and ``update()`` return nothing, ``step(iterator)`` does all of it and returns
the loss; ``state_dict()``, ``load_state_dict(state)``, ``model`` and ``batches`` are there too.
Call these methods instead of copying what they do: the checks hand in trainers of their own.

A *clock* is a function that returns a time [s]; the checks hand in clocks of their own as well.
A function that changes a setting of the process (gradients, dtype, threads, a profiler, anomaly
detection) puts it back before it returns. Everything runs on a CPU; where a trainer's device is
CUDA, synchronise before reading a clock.
"""

import itertools
import math
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.flop_counter import FlopCounterMode

PHASES = ("data_wait", "transfer", "forward", "backward", "optimizer")


def annotated_step(trainer, batch, clock=time.perf_counter):
    """Run one training step on a batch that was already fetched, each phase in its own range.

    Calls ``trainer.transfer``, ``forward``, ``backward`` and ``update`` once each, in that order,
    each inside a profiler range (`torch.profiler.record_function`) named ``transfer``,
    ``forward``, ``backward`` and ``optimizer``. The four ranges follow one another inside one
    range named ``train_step``. Fetching the batch is *not* part of it. Works the same with no
    profiler running.

    Args:
        trainer: Anything with the trainer interface.
        batch: What ``trainer.transfer`` takes.
        clock: Returns the time [s].

    Returns:
        ``(loss, seconds)``: the loss as a detached 0-dim tensor (``.item()`` would wait for the
        device), and a new dict with the time of ``train_step``, ``transfer``, ``forward``,
        ``backward`` and ``optimizer`` by `clock` [s]. Each is the time between two readings; that
        of ``train_step`` is its own, from before the first phase to after the last.
    """
    raise NotImplementedError("8.9.j")


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    """Run a training loop under a profiler schedule and return where its time goes.

    Runs exactly ``(wait + warmup + active) * repeat`` iterations. Each fetches a batch with
    ``trainer.fetch`` inside a range named ``data_wait``, timed by `clock`, and then calls
    `annotated_step` on it, so that the wait lies outside ``train_step``. When the loader ends, it
    is iterated again; making the iterator counts as waiting, too.

    With a `trace_dir`, a `torch.profiler.profile` with the schedule of `plan` records the active
    iterations: ``prof.step()`` ends each iteration, and ``on_trace_ready`` exports one chrome
    trace a window, ``repeat`` of them and no other. The profiler records no stacks, shapes,
    modules or memory, since these slow the very thing that is measured; nor is anomaly detection
    switched on. If the loader or the trainer raises, the profiler is stopped and the error goes on.
    Without a `trace_dir` no profiler runs, and the same iterations are counted: that is the way to
    measure times, the traces are for the structure.

    Args:
        trainer: Anything with the trainer interface.
        loader: An iterable of batches.
        plan: ``{"wait": int, "warmup": int, "active": int, "repeat": int}``.
        trace_dir: Folder for the traces, made if it is missing; None for no profiler.
        clock: Returns the time [s].

    Returns:
        A dict over the *active* iterations alone, all times in [s]:

        - ``"steps"``: their number, ``active * repeat``.
        - ``"rows"``: for each of ``data_wait, transfer, forward, backward, optimizer, residual`` a
          dict ``{"p50", "p90", "share"}``. The residual is ``train_step`` less its four phases.
          Percentiles interpolate linearly, as `np.percentile` and `torch.quantile` do; a share is
          the sum divided by the sum of data wait plus train step (0.0 if that is 0).
        - ``"slowest"``: the phase (not the residual) with the largest p50; of equal ones the first.
        - ``"traces"``: paths (text) of the traces in the order of the windows; ``[]`` without.

    Raises:
        ValueError: If `active` or `repeat` is below 1, another number is negative, or the loader
            has no batch when it is iterated: at the start, or again after it has ended, as a
            generator that is used up.
    """
    raise NotImplementedError("8.9.k")


def operator_table(prof, by_shape=False):
    """Return the operators of a finished profile as rows, the largest self time first.

    One row for each entry of ``prof.key_averages(group_by_input_shape=by_shape)``. Without
    `by_shape` all calls of an operator are one row; with it, an operator that was called with two
    shapes is two rows. Self is what the operator does itself, total includes the operators it
    calls; a convolution that allocates through ``aten::empty`` has its bytes in total, not in self.

    Args:
        prof: A `torch.profiler.profile` that has ended.
        by_shape: Whether to split operators by the shapes of their inputs.

    Returns:
        List of dicts, ``self_us`` falling:

        - ``"name"``, ``"count"``: the operator and its number of calls (int).
        - ``"shapes"``: shapes of its inputs, a list of lists; None without `by_shape`.
        - ``"self_us"``, ``"total_us"``: CPU time [us].
        - ``"device_us"``: self time on an accelerator [us]; 0 on a CPU, which is why nothing may
          be sorted by it there.
        - ``"self_bytes"``, ``"total_bytes"``: CPU memory allocated less freed [B], None if the
          profile did not record memory: not measured is not zero.

    Raises:
        ValueError: If `by_shape` is asked of a profile that did not record shapes.
    """
    raise NotImplementedError("8.9.l")


def reconcile_flops(step, hand):
    """Hold a hand count of FLOPs against FlopCounterMode and name what it does not see.

    Runs `step` once, gradients as they are, under `torch.utils.flop_counter.FlopCounterMode`
    (without its table on stdout); `hand` is left as it is. The counter is an instrument with blind
    spots, so that neither number is the truth: the difference has to be explained by terms of the
    hand count.

    Args:
        step: Function without arguments that runs what is counted; what it returns is dropped.
        hand: ``{term: FLOP}``, the hand count in named terms, integers, at most 16 terms.

    Returns:
        A dict with

        - ``"hand"``: sum of the terms [FLOP].
        - ``"counted"``: what FlopCounterMode counted in all [FLOP, int].
        - ``"missing"``: hand less counted; negative if the counter saw more.
        - ``"excluded"``: names of the terms the counter did not see: the fewest terms whose sum is
          exactly ``missing``, in the order of `hand`. Of several such sets any one. ``[]`` if
          nothing is missing or no set of terms explains it.
        - ``"included"``: the other names, in the order of `hand`.
        - ``"unexplained"``: ``missing`` less the sum of the excluded terms; 0 if all is explained.
    """
    raise NotImplementedError("8.9.m")


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    """Return how many batches a second a loader delivers when nobody else is working.

    Iterates the loader once with nothing in between, takes no batch more than it was asked for and
    keeps none of them. The first batch is reported apart and left out of everything else: starting
    workers and opening files is paid once, and making the iterator belongs to its wait.

    Args:
        loader: An iterable of batches.
        batches: How many batches to take at most; None for all of one pass.
        step_time: What the training step needs for a batch [s], None if unknown.
        clock: Returns the time [s].

    Returns:
        A dict with ``"batches"`` (how many were taken, the first included), ``"first"`` (its wait
        [s]), ``"p50"`` and ``"p90"`` of the other waits [s] (linear interpolation), ``"rate"``
        (other batches divided by the sum of their waits [1/s], infinite if that is 0) and
        ``"covers"``: True if ``rate * step_time >= 1``, so that a loader working beside the step
        can keep up; None without a `step_time`.

    Raises:
        ValueError: If the loader delivers fewer than 2 batches.
    """
    raise NotImplementedError("8.9.n")


def verify_optimization(base, new, samples, controls, *, steps=4, rtol=1e-4, seed=0):
    """Decide whether an optimized trainer may replace the old one, and whether it gains anything.

    A faster step that computes something else is not an optimization. Five parts, each of which
    can fail; then, and only then, the speed counts.

    - ``"outputs"``: on the first batch of ``base(seed).batches``, ``model(x)`` and the loss of
      ``forward(x, y)`` agree. The model stays in the mode that its trainer was made with.
    - ``"gradients"``: after ``backward`` on that batch every parameter has the same gradient. A
      gradient that is missing on one side only, or a parameter with another name, disagrees. (The
      prefix ``_orig_mod.`` that `torch.compile` puts before names is taken off.)
    - ``"losses"``: ``2 * steps`` calls of ``step`` on ``iter(trainer.batches)`` give the same
      losses. This sees what a trainer does in ``step`` but not in its phases.
    - ``"controls"``: every control, called with `new`, has ``passed``. A gain is worth nothing if
      the trainer does not learn, or learns what it should not be able to know.
    - ``"resume"``: `new` trained for `steps` steps, saved with ``state_dict`` and loaded into a
      fresh trainer, goes on for `steps` steps exactly like one that was never interrupted: the
      same losses and the same ``model.state_dict()`` afterwards, bit for bit. The fresh trainer
      starts with torch's global RNG in another state, as a new process would. An error while
      loading is a failure of this part; one in a step is raised, as everywhere.

    Two tensors agree if their shapes are equal and no entry differs by more than `rtol` times the
    largest absolute value of the old one (and NaN never agrees). Seed torch's global RNG with
    `seed` before each forward or run that is compared, so that dropout draws the same numbers on
    both sides, whatever making a trainer has drawn.

    Speed: `samples` are pairs of times; ``ratio`` is the median of old / new, with a 99 % bootstrap
    interval over pairs and the verdicts of `paired_bootstrap` in the NumPy stage: fewer than 20
    pairs ``inconclusive``; low > 1.02 ``gain``; high < 1 / 1.02 ``slower``; inside 1 / 1.05 to
    1.05 ``null``; else ``inconclusive``.

    Args:
        base: Function ``base(seed) -> trainer``: a fresh trainer at every call, with the same
            weights and the same batches for the same seed.
        new: The same for the optimized trainer, with the weights and batches of `base`.
        samples: ``(old, new)``: two lists of times [s], entry i of both measured together. They are
            as long as each other, not empty, and their times finite and above 0: what
            `paired_bootstrap` refuses is not handed in.
        controls: List of functions ``control(make) -> result`` that train a ``make(seed)`` and
            return an object with ``name`` (text) and ``passed`` (bool): those of
            `compact.controls`, for example.
        steps: Half the length of the compared runs; an epoch has at least ``2 * steps`` batches.
        rtol: Declared tolerance of outputs, gradients and losses.
        seed: Of the trainers, of the RNG and of the bootstrap.

    Returns:
        A dict with

        - ``"verdict"``: ``"reject"`` if a part failed, else the verdict on the speed.
        - ``"failed"``: names of the parts that failed, in the order above.
        - ``"controls"``: ``{name: passed}`` of each control.
        - ``"speed"``: ``{"ratio", "low", "high", "verdict"}``.

    Raises:
        Exception: What a trainer or a control raises, an error while loading excepted.
    """
    raise NotImplementedError("8.9.o")


def closed_book_step(trace_path):
    """Closed book: profile one annotated training step of a small MLP and say what it shows.

    Without notes, on a CPU: build an MLP of at least two linear layers and an optimizer of
    `torch.optim` whose ``step()`` changes their weights, make a batch, and run at least one such
    step to warm up. Then profile exactly one more: one range ``train_step`` with the ranges
    ``transfer``, ``forward``, ``backward`` and ``optimizer`` inside it, one after another. Each is
    around all of its own work and nobody else's: the products of the layers are in ``forward``,
    what autograd computes is in ``backward``, all that the optimizer's ``step()`` changes is in
    ``optimizer``, and ``transfer`` has no product of matrices. Export the chrome trace to
    `trace_path` and leave it as the profiler writes it.

    Args:
        trace_path: File to write.

    Returns:
        A dict with

        - ``"trace"``: the path of the trace (text).
        - ``"train_step"``: total time of the step's range [us].
        - ``"phases"``: ``{"transfer", "forward", "backward", "optimizer"}``, their total times
          [us]. They are those of the trace (within 1 us or 1 %), and their sum is at most
          ``train_step``.
        - ``"sentence"``: one sentence that contains the name of the phase with the largest time
          and of no other phase.
    """
    raise NotImplementedError("8.9.p")
