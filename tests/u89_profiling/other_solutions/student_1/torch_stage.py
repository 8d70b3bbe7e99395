"""Unit 8.9, PyTorch stage: profile a training step, reconcile its FLOPs, verify an optimization.

A *trainer* here is anything with the interface of `compact.trainer.Trainer`: ``fetch(iterator)``
returns a batch, ``transfer(batch)`` returns ``(x, y)``, ``forward(x, y)`` a loss, ``backward(loss)``
and ``update()`` return nothing, ``step(iterator)`` does all of it and returns the loss;
``state_dict()``, ``load_state_dict(state)``, ``model`` and ``batches`` are there too. Call these
methods instead of copying what they do: the checks hand in trainers of their own.

A *clock* is a function that returns a time [s]; the checks hand in clocks of their own as well.
Everything runs on a CPU; where a trainer's device is CUDA, synchronise before reading a clock.
"""

import contextlib
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


class Timed:
    """A profiler range that also writes its time to a dict."""

    def __init__(self, name, seconds, clock, device="cpu"):
        self.name, self.seconds, self.clock = name, seconds, clock
        self.device = torch.device(device)
        self.range = record_function(name)

    def _read(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        return self.clock()

    def __enter__(self):
        self.range.__enter__()
        self.start = self._read()
        return self

    def __exit__(self, *error):
        self.seconds[self.name] = self._read() - self.start
        self.range.__exit__(*error)


class Source:
    """Batches of a loader without end: it is iterated again when it is over."""

    def __init__(self, trainer, loader):
        self.trainer, self.loader = trainer, loader
        self.iterator = None

    def next(self):
        if self.iterator is not None:
            try:
                return self.trainer.fetch(self.iterator)
            except StopIteration:
                pass
        self.iterator = iter(self.loader)
        try:
            return self.trainer.fetch(self.iterator)
        except StopIteration:
            raise ValueError("the loader has no batch") from None


def _quantiles(values, points):
    """Return quantiles of a list of numbers, linearly interpolated."""
    column = torch.tensor(values, dtype=torch.float64)
    return [torch.quantile(column, point).item() for point in points]


def _fewest(names, sizes, wanted):
    """Return the fewest names whose sizes add up to what is wanted, [] if none do."""
    for count in range(len(names) + 1):
        for chosen in itertools.combinations(names, count):
            if sum(sizes[name] for name in chosen) == wanted:
                return list(chosen)
    return []


class Run:
    """A trainer in the middle of a run, with its iterator."""

    def __init__(self, make, seed):
        self.trainer = make(seed)
        torch.manual_seed(seed)
        self.iterator = None

    def go(self, steps):
        """Take some steps and return their losses, in a list."""
        if self.iterator is None:
            self.iterator = iter(self.trainer.batches)
        losses = []
        for _ in range(steps):
            loss = self.trainer.step(self.iterator)
            losses.append(torch.as_tensor(loss).detach().clone().cpu().double())
        return losses


def _agree(old, new, rtol, each=False):
    """Return whether two tensors agree within rtol of the largest old value.

    With `each`, every entry is a tensor of its own.
    """
    if old.shape != new.shape:
        return False
    if old.numel() == 0:
        return True
    old, new = old.detach().cpu().double(), new.detach().cpu().double()
    size = old.abs() if each else old.abs().max()
    near = (old - new).abs() <= rtol * size
    return bool((near & old.isfinite() | (old == new)).all())


def _plain(name):
    return name.replace("_orig_mod.", "")


def _compare_batch(base, new, rtol, seed):
    """Return whether outputs and gradients of the first batch agree."""
    batch = next(iter(base(seed).batches))
    logits, losses, gradients = [], [], []
    for make in (base, new):
        trainer = make(seed)
        x, y = trainer.transfer(batch)
        torch.manual_seed(seed)
        logits.append(trainer.model(x).detach().clone())
        torch.manual_seed(seed)
        loss = trainer.forward(x, y)
        losses.append(loss.detach().clone())
        trainer.backward(loss)
        gradients.append({_plain(name): p.grad for name, p in trainer.model.named_parameters()})
    outputs = _agree(*logits, rtol) and _agree(*losses, rtol)
    old, mine = gradients
    if old.keys() != mine.keys():
        return outputs, False
    for name in old:
        if old[name] is None and mine[name] is None:
            continue
        if old[name] is None or mine[name] is None or not _agree(old[name], mine[name], rtol):
            return outputs, False
    return outputs, True


def _same_bits(a, b):
    """Return whether two values are equal; two tensors bit for bit."""
    if not (isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)):
        return type(a) is type(b) and a == b
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    a, b = (t.detach().cpu().contiguous().reshape(-1).view(torch.uint8) for t in (a, b))
    return torch.equal(a, b)


def _resumes(new, steps, seed):
    """Return whether a resumed run goes on exactly like one that was not interrupted."""
    whole = Run(new, seed)
    whole.go(steps)
    expected = whole.go(steps)
    before = Run(new, seed)
    before.go(steps)
    try:
        state = before.trainer.state_dict()
        after = Run(new, seed)
        torch.manual_seed(seed + 987654321)
        after.trainer.load_state_dict(state)
        losses = after.go(steps)
    except Exception:
        return False
    if not all(map(_same_bits, expected, losses)):
        return False
    old, mine = whole.trainer.model.state_dict(), after.trainer.model.state_dict()
    return old.keys() == mine.keys() and all(_same_bits(old[name], mine[name]) for name in old)


def _speed(old, new, seed):
    """Return the median ratio of paired times, its 99 % interval and the verdict."""
    if len(old) != len(new):
        raise ValueError(f"{len(old)} old times but {len(new)} new ones")
    if len(old) == 0:
        raise ValueError("there are no pairs of times")
    if not all(0 < value < math.inf for value in (*old, *new)):
        raise ValueError("a time is not finite and positive")
    ratios = torch.tensor([a / b for a, b in zip(old, new)], dtype=torch.float64)
    n = len(ratios)
    generator = torch.Generator().manual_seed(seed)
    medians = torch.empty(2000, dtype=torch.float64)
    for i in range(len(medians)):
        # not torch.median: of an even number of values it returns the lower of the middle two
        medians[i] = ratios[torch.randint(n, (n,), generator=generator)].quantile(0.5)
    low, high = (medians.quantile(edge).item() for edge in (0.005, 0.995))
    if n < 20:
        verdict = "inconclusive"
    elif low > 1.02:
        verdict = "gain"
    elif high < 1 / 1.02:
        verdict = "slower"
    elif low >= 1 / 1.05 and high <= 1.05:
        verdict = "null"
    else:
        verdict = "inconclusive"
    return {"ratio": ratios.quantile(0.5).item(), "low": low, "high": high, "verdict": verdict}


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
        ``(loss, seconds)``: the loss as a detached 0-dim tensor, and a dict with the time of
        ``train_step``, ``transfer``, ``forward``, ``backward`` and ``optimizer`` by `clock` [s].
    """
    seconds = {}
    device = getattr(trainer, "device", "cpu")
    with Timed("train_step", seconds, clock, device):
        with Timed("transfer", seconds, clock, device):
            x, y = trainer.transfer(batch)
        with Timed("forward", seconds, clock, device):
            loss = trainer.forward(x, y)
        with Timed("backward", seconds, clock, device):
            trainer.backward(loss)
        with Timed("optimizer", seconds, clock, device):
            trainer.update()
    return loss.detach(), seconds


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    """Run a training loop under a profiler schedule and return where its time goes.

    Runs exactly ``(wait + warmup + active) * repeat`` iterations. Each fetches a batch with
    ``trainer.fetch`` inside a range named ``data_wait``, timed by `clock`, and then calls
    `annotated_step` on it, so that the wait lies outside ``train_step``. When the loader ends, it
    is iterated again; making the iterator counts as waiting, too.

    With a `trace_dir`, a `torch.profiler.profile` with the schedule of `plan` records the active
    iterations: ``prof.step()`` ends each iteration, and ``on_trace_ready`` exports one chrome
    trace a window, ``repeat`` of them. The profiler records no stacks, no shapes and no memory,
    since these slow the very thing that is measured; nor is anomaly detection switched on.
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
            has no batch at all.
    """
    wait, warmup, active, repeat = (plan[key] for key in ("wait", "warmup", "active", "repeat"))
    if active < 1 or repeat < 1 or wait < 0 or warmup < 0:
        raise ValueError(f"the plan cannot be run: {plan}")
    device = torch.device(getattr(trainer, "device", "cpu"))
    traces = []
    if trace_dir is None:
        prof = None
        recording = contextlib.nullcontext()
    else:
        folder = Path(trace_dir)
        folder.mkdir(parents=True, exist_ok=True)

        def export(finished):
            path = folder / f"window_{len(traces)}.json"
            finished.export_chrome_trace(str(path))
            traces.append(str(path))

        activities = [ProfilerActivity.CPU]
        if device.type == "cuda":
            activities.append(ProfilerActivity.CUDA)
        prof = recording = profile(
            activities=activities,
            schedule=schedule(wait=wait, warmup=warmup, active=active, repeat=repeat),
            on_trace_ready=export,
        )

    window = wait + warmup + active
    source = Source(trainer, loader)
    records = []
    with recording:
        for i in range(window * repeat):
            seconds = {}
            with Timed("data_wait", seconds, clock, device):
                batch = source.next()
            _, step_seconds = annotated_step(trainer, batch, clock)
            seconds.update(step_seconds)
            if i % window >= wait + warmup:
                records.append(seconds)
            if prof is not None:
                prof.step()

    for record in records:
        record["residual"] = record["train_step"] - sum(record[name] for name in PHASES[1:])
    whole = sum(record["data_wait"] + record["train_step"] for record in records)
    rows = {}
    for name in (*PHASES, "residual"):
        column = [record[name] for record in records]
        p50, p90 = _quantiles(column, (0.5, 0.9))
        rows[name] = {"p50": p50, "p90": p90, "share": sum(column) / whole if whole else 0.0}
    return {
        "steps": len(records),
        "rows": rows,
        "slowest": max(PHASES, key=lambda name: rows[name]["p50"]),
        "traces": traces,
    }


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
        List of dicts, ``self_us`` falling, equal ones by name:

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
    if by_shape and not prof.record_shapes:
        raise ValueError("this profile did not record shapes")
    table = []
    for entry in prof.key_averages(group_by_input_shape=by_shape):
        row = {
            "name": entry.key,
            "count": int(entry.count),
            "shapes": [list(shape) for shape in entry.input_shapes or []] if by_shape else None,
            "self_us": entry.self_cpu_time_total,
            "total_us": entry.cpu_time_total,
            "device_us": entry.self_device_time_total,
            "self_bytes": entry.self_cpu_memory_usage if prof.profile_memory else None,
            "total_bytes": entry.cpu_memory_usage if prof.profile_memory else None,
        }
        table.append(row)
    return sorted(table, key=lambda row: (-row["self_us"], row["name"]))


def reconcile_flops(step, hand):
    """Hold a hand count of FLOPs against FlopCounterMode and name what it does not see.

    Runs `step` once under `torch.utils.flop_counter.FlopCounterMode` (without its table on
    stdout). The counter is an instrument with blind spots, so that neither number is the truth:
    the difference has to be explained by terms of the hand count.

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
    with FlopCounterMode(display=False) as counter:
        step()
    counted = int(counter.get_total_flops())
    total = sum(hand.values())
    missing = total - counted
    excluded = _fewest(list(hand), hand, missing)
    return {
        "hand": total,
        "counted": counted,
        "missing": missing,
        "excluded": excluded,
        "included": [name for name in hand if name not in excluded],
        "unexplained": missing - sum(hand[name] for name in excluded),
    }


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    """Return how many batches a second a loader delivers when nobody else is working.

    Iterates the loader once with nothing in between. The first batch is reported apart and left
    out of everything else: starting workers and opening files is paid once.

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
    if batches is not None and batches < 2:
        raise ValueError(f"{batches} batches are too few, 2 are needed")
    waits = []
    before = clock()
    iterator = iter(loader)
    while batches is None or len(waits) < batches:
        try:
            next(iterator)
        except StopIteration:
            break
        after = clock()
        waits.append(after - before)
        before = clock()
    if len(waits) < 2:
        raise ValueError(f"the loader delivered {len(waits)} batches, 2 are needed")
    first, *others = waits
    spent = sum(others)
    rate = len(others) / spent if spent > 0 else math.inf
    p50, p90 = _quantiles(others, (0.5, 0.9))
    return {
        "batches": len(waits),
        "first": first,
        "p50": p50,
        "p90": p90,
        "rate": rate,
        "covers": None if step_time is None else rate * step_time >= 1,
    }


def verify_optimization(base, new, samples, controls, steps=4, rtol=1e-4, seed=0):
    """Decide whether an optimized trainer may replace the old one, and whether it gains anything.

    A faster step that computes something else is not an optimization. Five parts, each of which
    can fail; then, and only then, the speed counts.

    - ``"outputs"``: on the first batch of ``base(seed).batches``, ``model(x)`` and the loss of
      ``forward(x, y)`` agree.
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
      loading is a failure of this part.

    Two tensors agree if no entry differs by more than `rtol` times the largest absolute value of
    the old one (and NaN never agrees). Seed torch's global RNG with `seed` before each forward or
    run that is compared, so that dropout draws the same numbers on both sides.

    Speed: `samples` are pairs of times; ``ratio`` is the median of old / new, with a 99 % bootstrap
    interval over pairs and the verdicts of `paired_bootstrap` in the NumPy stage: fewer than 20
    pairs ``inconclusive``; low > 1.02 ``gain``; high < 1 / 1.02 ``slower``; inside 1 / 1.05 to
    1.05 ``null``; else ``inconclusive``.

    Args:
        base: Function ``base(seed) -> trainer``: a fresh trainer at every call, with the same
            weights and the same batches for the same seed.
        new: The same for the optimized trainer, with the weights and batches of `base`.
        samples: ``(old, new)``: two lists of times [s], entry i of both measured together.
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
    """
    with torch.random.fork_rng():
        outputs, gradients = _compare_batch(base, new, rtol, seed)
        losses = _agree(
            *(torch.stack(Run(make, seed).go(2 * steps)) for make in (base, new)), rtol, each=True
        )
        results = {}
        for control in controls:
            result = control(new)
            results[result.name] = bool(result.passed) and results.get(result.name, True)
        resumed = _resumes(new, steps, seed)
    parts = {
        "outputs": outputs,
        "gradients": gradients,
        "losses": losses,
        "controls": all(results.values()),
        "resume": resumed,
    }
    failed = [name for name, passed in parts.items() if not passed]
    speed = _speed(*samples, seed)
    return {
        "verdict": "reject" if failed else speed["verdict"],
        "failed": failed,
        "controls": results,
        "speed": speed,
    }


def closed_book_step(trace_path):
    """Closed book: profile one annotated training step of a small MLP and say what it shows.

    Without notes, on a CPU: build an MLP of at least two linear layers and an optimizer, make a
    batch, and run at least one step to warm up. Then profile exactly one more step: one range
    ``train_step`` with the ranges ``transfer``, ``forward``, ``backward`` and ``optimizer`` inside
    it, one after another. Export the chrome trace to `trace_path`.

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
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(),
                          nn.Linear(256, 10))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    batch = torch.randn(32, 64), torch.randint(10, (32,))

    def step():
        with record_function("train_step"):
            with record_function("transfer"):
                x, y = (part.to("cpu") for part in batch)
            with record_function("forward"):
                loss = F.cross_entropy(model(x), y)
            with record_function("backward"):
                loss.backward()
            with record_function("optimizer"):
                optimizer.step()
                optimizer.zero_grad()

    for _ in range(3):
        step()
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        step()
    path = Path(trace_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    prof.export_chrome_trace(str(path))
    times = {row.key: row.cpu_time_total for row in prof.key_averages()}
    phases = {name: times[name] for name in PHASES[1:]}
    largest = max(phases, key=phases.get)
    share = phases[largest] / times["train_step"]
    return {
        "trace": str(path),
        "train_step": times["train_step"],
        "phases": phases,
        "sentence": f"Most of the time goes into {largest}, {share:.0%} of the step.",
    }
