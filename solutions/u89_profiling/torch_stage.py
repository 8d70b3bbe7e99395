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
    # region 8.9.j
    seconds = {}
    begin = _read(trainer, clock)
    with record_function("train_step"):
        with _phase("transfer", trainer, clock, seconds):
            x, y = trainer.transfer(batch)
        with _phase("forward", trainer, clock, seconds):
            loss = trainer.forward(x, y)
        with _phase("backward", trainer, clock, seconds):
            trainer.backward(loss)
        with _phase("optimizer", trainer, clock, seconds):
            trainer.update()
    seconds["train_step"] = _read(trainer, clock) - begin
    return loss.detach(), seconds
    # endregion


# region hidden
def _read(trainer, clock):
    """Read the clock, after the device has finished where there is one."""
    device = getattr(trainer, "device", None)
    if getattr(device, "type", "cpu") == "cuda":
        torch.cuda.synchronize(device)
    return clock()


class _phase:
    """A profiler range that also keeps how long it was open, by the clock that was handed in."""

    def __init__(self, name, trainer, clock, seconds):
        self.name, self.trainer, self.clock, self.seconds = name, trainer, clock, seconds

    def __enter__(self):
        self.range = record_function(self.name)
        self.range.__enter__()
        self.begin = _read(self.trainer, self.clock)

    def __exit__(self, *error):
        self.seconds[self.name] = _read(self.trainer, self.clock) - self.begin
        return self.range.__exit__(*error)


# endregion


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
    # region 8.9.k
    wait, warmup, active, repeat = (plan[k] for k in ("wait", "warmup", "active", "repeat"))
    if active < 1 or repeat < 1 or wait < 0 or warmup < 0:
        raise ValueError(f"nothing would be measured by {plan}")
    window = wait + warmup + active
    samples, traces = [], []

    def export(prof):
        path = Path(trace_dir, f"window_{len(traces)}.json")
        prof.export_chrome_trace(str(path))
        traces.append(str(path))

    def loop(end_iteration):
        iterator = None
        for number in range(window * repeat):
            seconds = {}
            with _phase("data_wait", trainer, clock, seconds):
                batch, iterator = _fetch(trainer, loader, iterator)
            _, step_seconds = annotated_step(trainer, batch, clock)
            if number % window >= wait + warmup:
                samples.append(seconds | step_seconds)
            end_iteration()

    if trace_dir is None:
        loop(lambda: None)
    else:
        Path(trace_dir).mkdir(parents=True, exist_ok=True)
        activities = [ProfilerActivity.CPU]
        if torch.cuda.is_available():
            activities.append(ProfilerActivity.CUDA)
        when = schedule(wait=wait, warmup=warmup, active=active, repeat=repeat)
        with profile(activities=activities, schedule=when, on_trace_ready=export) as prof:
            loop(prof.step)
    return {**_table(samples), "traces": traces}
    # endregion


# region hidden
def _fetch(trainer, loader, iterator):
    """Return the next batch and the iterator it came from, a new one where the old one ended."""
    if iterator is not None:
        try:
            return trainer.fetch(iterator), iterator
        except StopIteration:
            pass
    iterator = iter(loader)
    try:
        return trainer.fetch(iterator), iterator
    except StopIteration:
        raise ValueError("the loader has no batch") from None


def _table(samples):
    """Return steps, rows and slowest phase of the samples, dicts of seconds, one a step."""
    columns = {name: [sample[name] for sample in samples] for name in PHASES}
    columns["residual"] = [
        sample["train_step"] - sum(sample[name] for name in PHASES[1:]) for sample in samples
    ]
    whole = sum(sample["data_wait"] + sample["train_step"] for sample in samples)
    rows = {
        name: {
            "p50": _quantile(values, 0.5),
            "p90": _quantile(values, 0.9),
            "share": sum(values) / whole if whole else 0.0,
        }
        for name, values in columns.items()
    }
    slowest = max(PHASES, key=lambda name: rows[name]["p50"])
    return {"steps": len(samples), "rows": rows, "slowest": slowest}


def _quantile(values, q):
    """Return a quantile with linear interpolation."""
    return float(torch.quantile(torch.tensor(values, dtype=torch.float64), q))


# endregion


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
    # region 8.9.l
    if by_shape and not prof.record_shapes:
        raise ValueError("the profile has no shapes: profile(..., record_shapes=True)")
    rows = [
        {
            "name": entry.key,
            "shapes": entry.input_shapes if by_shape else None,
            "count": entry.count,
            "self_us": entry.self_cpu_time_total,
            "total_us": entry.cpu_time_total,
            "device_us": entry.self_device_time_total,
            "self_bytes": entry.self_cpu_memory_usage if prof.profile_memory else None,
            "total_bytes": entry.cpu_memory_usage if prof.profile_memory else None,
        }
        for entry in prof.key_averages(group_by_input_shape=by_shape)
    ]
    return sorted(rows, key=lambda row: (-row["self_us"], row["name"]))
    # endregion


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
    # region 8.9.m
    with FlopCounterMode(display=False) as counter:
        step()
    counted = counter.get_total_flops()
    missing = sum(hand.values()) - counted
    sets = itertools.chain.from_iterable(
        itertools.combinations(hand, size) for size in range(len(hand) + 1)
    )
    excluded = next((s for s in sets if sum(hand[name] for name in s) == missing), ())
    return {
        "hand": counted + missing,
        "counted": counted,
        "missing": missing,
        "excluded": list(excluded),
        "included": [name for name in hand if name not in excluded],
        "unexplained": missing - sum(hand[name] for name in excluded),
    }
    # endregion


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
    # region 8.9.n
    waits = []
    iterator = None
    while batches is None or len(waits) < batches:
        begin = clock()
        try:
            iterator = iter(loader) if iterator is None else iterator
            next(iterator)
        except StopIteration:
            break
        waits.append(clock() - begin)
    if len(waits) < 2:
        raise ValueError(f"{len(waits)} batches are too few to tell a rate")
    first, *others = waits
    rate = len(others) / sum(others) if sum(others) else math.inf
    return {
        "batches": len(waits),
        "first": first,
        "p50": _quantile(others, 0.5),
        "p90": _quantile(others, 0.9),
        "rate": rate,
        "covers": None if step_time is None else rate * step_time >= 1,
    }
    # endregion


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
    # region 8.9.o
    old, fresh = _first_step(base, base, seed), _first_step(new, base, seed)
    passed = [control(new) for control in controls]
    results = {control.name: bool(control.passed) for control in passed}
    whole_losses, whole_state = _run(new, seed, 2 * steps)
    base_losses, _ = _run(base, seed, 2 * steps)
    parts = {
        "outputs": all(_agree(a, b, rtol) for a, b in zip(old[0], fresh[0], strict=True)),
        "gradients": old[1].keys() == fresh[1].keys()
        and all(_agree(old[1][name], fresh[1][name], rtol) for name in old[1]),
        "losses": _agree(base_losses, whole_losses, rtol),
        "controls": all(results.values()),
        "resume": _resumes(new, seed, steps, whole_losses[steps:], whole_state),
    }
    failed = [name for name, fine in parts.items() if not fine]
    speed = _speed(*samples, seed)
    return {
        "verdict": "reject" if failed else speed["verdict"],
        "failed": failed,
        "controls": results,
        "speed": speed,
    }
    # endregion


# region hidden
def _first_step(make, make_base, seed):
    """Return outputs and gradients of a fresh trainer on the base trainer's first batch."""
    trainer, source = make(seed), make_base(seed)
    x, y = trainer.transfer(source.fetch(iter(source.batches)))
    torch.manual_seed(seed)
    with torch.no_grad():
        outputs = trainer.model(x)
    torch.manual_seed(seed)
    loss = trainer.forward(x, y)
    trainer.backward(loss)
    gradients = {
        name.removeprefix("_orig_mod."): parameter.grad
        for name, parameter in trainer.model.named_parameters()
    }
    return (outputs, loss.detach()), gradients


def _run(make, seed, count, trainer=None):
    """Return the losses ``[count]`` of a trainer and its model's state afterwards."""
    if trainer is None:
        trainer = make(seed)
        torch.manual_seed(seed)
    iterator = iter(trainer.batches)
    losses = torch.stack([trainer.step(iterator).detach() for _ in range(count)])
    return losses, {name: value.clone() for name, value in trainer.model.state_dict().items()}


def _resumes(make, seed, steps, losses, state):
    """Return whether a saved and loaded trainer ends with these losses and this state."""
    first = make(seed)
    torch.manual_seed(seed)
    iterator = iter(first.batches)
    for _ in range(steps):
        first.step(iterator)
    saved = first.state_dict()
    second = make(seed)
    torch.manual_seed(seed + 1)
    try:
        second.load_state_dict(saved)
    except Exception:  # whatever it raises, it did not load
        return False
    resumed_losses, resumed = _run(make, seed, steps, second)
    return torch.equal(resumed_losses, losses) and all(
        torch.equal(resumed[name], value) for name, value in state.items()
    )


def _agree(old, new, rtol):
    """Return whether two tensors agree within rtol of the old one's largest value."""
    if old is None or new is None:
        return old is new
    if old.shape != new.shape:
        return False
    scale = old.abs().max() if old.numel() else 0.0
    return bool(((old - new).abs() <= rtol * scale).all())


def _speed(old, new, seed):
    """Return ratio, interval and verdict of paired times."""
    ratios = torch.tensor(old, dtype=torch.float64) / torch.tensor(new, dtype=torch.float64)
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randint(len(ratios), (2000, len(ratios)), generator=generator)
    medians = torch.quantile(ratios[drawn], 0.5, dim=1)
    low, high = (float(torch.quantile(medians, q)) for q in (0.005, 0.995))
    if len(ratios) < 20:
        verdict = "inconclusive"
    elif low > 1.02:
        verdict = "gain"
    elif high < 1 / 1.02:
        verdict = "slower"
    else:
        verdict = "null" if low >= 1 / 1.05 and high <= 1.05 else "inconclusive"
    ratio = float(torch.quantile(ratios, 0.5))
    return {"ratio": ratio, "low": low, "high": high, "verdict": verdict}


# endregion


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
    # region 8.9.p
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(32, 64), torch.randint(10, (32,))

    def step():
        with record_function("train_step"):
            with record_function("transfer"):
                inputs, labels = x.to("cpu"), y.to("cpu")
            with record_function("forward"):
                loss = F.cross_entropy(model(inputs), labels)
            with record_function("backward"):
                loss.backward()
            with record_function("optimizer"):
                optimizer.step()
                optimizer.zero_grad()

    step()
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        step()
    prof.export_chrome_trace(str(trace_path))
    total = {entry.key: entry.cpu_time_total for entry in prof.key_averages()}
    phases = {name: total[name] for name in PHASES[1:]}
    largest = max(phases, key=phases.get)
    return {
        "trace": str(trace_path),
        "train_step": total["train_step"],
        "phases": phases,
        "sentence": f"The largest phase is {largest}, {phases[largest]:.0f} us of "
        f"{total['train_step']:.0f} us.",
    }
    # endregion
