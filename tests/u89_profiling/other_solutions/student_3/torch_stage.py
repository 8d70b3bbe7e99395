"""Unit 8.9, PyTorch stage: profile a training step, reconcile its FLOPs, verify an optimization.

A *trainer* here is anything with the interface of `compact.trainer.Trainer`: ``fetch(iterator)``
returns a batch, ``transfer(batch)`` returns ``(x, y)``, ``forward(x, y)`` a loss,
``backward(loss)`` and ``update()`` return nothing, ``step(iterator)`` does all of it and returns
the loss; ``state_dict()``, ``load_state_dict(state)``, ``model`` and ``batches`` are there too.
Call these methods instead of copying what they do: the checks hand in trainers of their own.

A *clock* is a function that returns a time [s]; the checks hand in clocks of their own as well.
Everything runs on a CPU; where a trainer's device is CUDA, synchronise before reading a clock.
"""

import copy
import itertools
import json
import math
import time
from contextlib import contextmanager, nullcontext, suppress
from fractions import Fraction
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.flop_counter import FlopCounterMode

PHASES = ("data_wait", "transfer", "forward", "backward", "optimizer")


def _on_cuda(trainer):
    return torch.device(getattr(trainer, "device", "cpu")).type == "cuda"


@contextmanager
def _timed(name, trainer, clock, seconds):
    """Open a profiler range and put its time by `clock` into `seconds`."""

    def now():
        if _on_cuda(trainer):
            torch.cuda.synchronize(trainer.device)
        return clock()

    with record_function(name):
        start = now()
        yield
        seconds[name] = now() - start


def _number(x):
    """Return a number as a fraction, infinity as it is."""
    return Fraction(x) if math.isfinite(x) else x


def _percentile(values, q):
    """Return the q-th percentile with linear interpolation, exact."""
    ordered = sorted(values)
    place = Fraction(q * (len(ordered) - 1), 100)
    i = math.floor(place)
    j = min(i + 1, len(ordered) - 1)
    return ordered[i] + (place - i) * (ordered[j] - ordered[i])


def _seeded(seed, function, *args):
    torch.manual_seed(seed)
    return function(*args)


def _fresh(make, seed):
    """Return a fresh trainer, with torch's RNG seeded after it was made."""
    trainer = make(seed)
    torch.manual_seed(seed)
    return trainer


def _run(trainer, steps):
    """Return the losses of the next steps."""
    iterator = iter(trainer.batches)
    return [torch.as_tensor(trainer.step(iterator)).detach().clone() for _ in range(steps)]


def _agree(old, new, rtol):
    """Whether no entry differs by more than rtol times the largest of the old tensor."""
    if old is None or new is None:
        return old is new
    old, new = (t.detach().to_dense().cpu().double() for t in (old, new))
    if old.shape != new.shape:
        return False
    return not old.numel() or bool(((old - new).abs() <= rtol * old.abs().max()).all())


def _same_bits(a, b):
    if not (isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)):
        return type(a) is type(b) and a == b
    flat = [t.detach().cpu().contiguous().flatten().view(torch.uint8) for t in (a, b)]
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(*flat)


def _resumes(make, steps, seed):
    """Whether a saved and loaded run goes on bit for bit like one that was not interrupted."""
    whole = _fresh(make, seed)
    expected = _run(whole, 2 * steps)[steps:]
    first = _fresh(make, seed)
    _run(first, steps)
    saved = copy.deepcopy(first.state_dict())
    torch.manual_seed(seed + 1)
    second = make(seed)
    torch.manual_seed(seed + 12345)
    try:
        second.load_state_dict(saved)
        losses = _run(second, steps)
    except Exception:  # noqa: BLE001 - whatever goes wrong, it does not resume
        return False
    old, new = whole.model.state_dict(), second.model.state_dict()
    return (
        all(map(_same_bits, expected, losses))
        and old.keys() == new.keys()
        and all(_same_bits(old[name], new[name]) for name in old)
    )


def _speed(old, new, seed):
    """Return ratio, interval and verdict of paired times."""
    if len(old) != len(new) or not len(old):
        raise ValueError(f"{len(old)} old and {len(new)} new times")
    pairs = zip(old, new, strict=True)
    ratios = torch.tensor([float(a) / float(b) for a, b in pairs], dtype=torch.float64)
    generator = torch.Generator().manual_seed(seed)
    n = len(ratios)
    medians = torch.stack(
        [
            ratios[torch.randint(n, (n,), generator=generator)].quantile(0.5)
            for _ in range(4000)
        ]
    )
    low, high = medians.quantile(0.005).item(), medians.quantile(0.995).item()
    verdicts = (
        ("inconclusive", n < 20),
        ("gain", low > 1.02),
        ("slower", high < 1 / 1.02),
        ("null", low >= 1 / 1.05 and high <= 1.05),
        ("inconclusive", True),
    )
    verdict = next(word for word, holds in verdicts if holds)
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
    with _timed("train_step", trainer, clock, seconds):
        with _timed("transfer", trainer, clock, seconds):
            x, y = trainer.transfer(batch)
        with _timed("forward", trainer, clock, seconds):
            loss = trainer.forward(x, y)
        with _timed("backward", trainer, clock, seconds):
            trainer.backward(loss)
        with _timed("optimizer", trainer, clock, seconds):
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
    wait, warmup, active, repeat = (plan[k] for k in ("wait", "warmup", "active", "repeat"))
    if active < 1 or repeat < 1 or wait < 0 or warmup < 0:
        raise ValueError(f"cannot run the plan {plan}")
    window = wait + warmup + active
    traces = []

    def export(prof):
        traces.append(str(Path(trace_dir) / f"window_{len(traces)}.json"))
        prof.export_chrome_trace(traces[-1])

    def profiler():
        if trace_dir is None:
            return nullcontext()
        Path(trace_dir).mkdir(parents=True, exist_ok=True)
        cuda = [ProfilerActivity.CUDA] if _on_cuda(trainer) else []
        return profile(
            activities=[ProfilerActivity.CPU, *cuda],
            schedule=schedule(wait=wait, warmup=warmup, active=active, repeat=repeat),
            on_trace_ready=export,
        )

    def fetch(iterator):
        """Return (iterator, batch), of a new iterator where the old one has ended."""
        if iterator is not None:
            with suppress(StopIteration):
                return iterator, trainer.fetch(iterator)
        iterator = iter(loader)
        try:
            return iterator, trainer.fetch(iterator)
        except StopIteration:
            raise ValueError("the loader has no batch") from None

    table, iterator = [], None
    with profiler() as prof:
        for _ in range(window * repeat):
            waited = {}
            with _timed("data_wait", trainer, clock, waited):
                iterator, batch = fetch(iterator)
            table.append(waited | annotated_step(trainer, batch, clock)[1])
            if prof is not None:
                prof.step()

    counted = [
        {name: Fraction(seconds) for name, seconds in row.items()}
        for i, row in enumerate(table)
        if i % window >= wait + warmup
    ]
    columns = {name: [row[name] for row in counted] for name in PHASES}
    columns["residual"] = [
        row["train_step"] - sum(row[name] for name in PHASES[1:]) for row in counted
    ]
    whole = sum(row["data_wait"] + row["train_step"] for row in counted)
    return {
        "steps": len(counted),
        "rows": {
            name: {
                "p50": float(_percentile(column, 50)),
                "p90": float(_percentile(column, 90)),
                "share": float(sum(column) / whole) if whole else 0.0,
            }
            for name, column in columns.items()
        },
        "slowest": max(PHASES, key=lambda name: _percentile(columns[name], 50)),
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
        raise ValueError("the profile did not record shapes")

    def row(entry):
        return {
            "name": entry.key,
            "count": int(entry.count),
            "shapes": [list(shape) for shape in entry.input_shapes or []] if by_shape else None,
            "self_us": entry.self_cpu_time_total,
            "total_us": entry.cpu_time_total,
            "device_us": entry.self_device_time_total,
            "self_bytes": entry.self_cpu_memory_usage if prof.profile_memory else None,
            "total_bytes": entry.cpu_memory_usage if prof.profile_memory else None,
        }

    rows = map(row, prof.key_averages(group_by_input_shape=by_shape))
    return sorted(rows, key=lambda r: (-r["self_us"], r["name"]))


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
    counted, total = int(counter.get_total_flops()), sum(hand.values())
    missing = total - counted
    sets = itertools.chain.from_iterable(
        itertools.combinations(hand, size) for size in range(len(hand) + 1)
    )
    fitting = (names for names in sets if sum(hand[name] for name in names) == missing)
    excluded = list(next(fitting, ()))
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
    def reads():
        yield clock()
        for _ in itertools.islice(loader, batches):
            yield clock()

    first, *others = [Fraction(b) - Fraction(a) for a, b in itertools.pairwise(reads())] or [0]
    if not others:
        raise ValueError("the loader delivers fewer than 2 batches")
    rate = len(others) / sum(others) if sum(others) else math.inf
    return {
        "batches": 1 + len(others),
        "first": float(first),
        "p50": float(_percentile(others, 50)),
        "p90": float(_percentile(others, 90)),
        "rate": float(rate),
        "covers": None if step_time is None else bool(rate * _number(step_time) >= 1),
    }


def verify_optimization(base, new, samples, controls, *, steps=4, rtol=1e-4, seed=0):
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
    with torch.random.fork_rng(devices=[]):
        batch = next(iter(base(seed).batches))

        def outputs(make):
            trainer = make(seed)
            x, y = trainer.transfer(batch)
            return [_seeded(seed, trainer.model, x), _seeded(seed, trainer.forward, x, y)]

        def gradients(make):
            trainer = make(seed)
            loss = _seeded(seed, trainer.forward, *trainer.transfer(batch))
            trainer.backward(loss)
            return {
                name.replace("_orig_mod.", ""): parameter.grad
                for name, parameter in trainer.model.named_parameters()
            }

        def losses(make):
            return _run(_fresh(make, seed), 2 * steps)

        def same_gradients():
            old, fast = gradients(base), gradients(new)
            return old.keys() == fast.keys() and all(
                _agree(old[name], fast[name], rtol) for name in old
            )

        def all_agree(part):
            return all(_agree(a, b, rtol) for a, b in zip(part(base), part(new), strict=True))

        results = [control(new) for control in controls]
        passed = {
            "outputs": all_agree(outputs),
            "gradients": same_gradients(),
            "losses": all_agree(losses),
            "controls": all(result.passed for result in results),
            "resume": _resumes(new, steps, seed),
        }
    speed = _speed(*samples, seed)
    failed = [part for part, fine in passed.items() if not fine]
    return {
        "verdict": "reject" if failed else speed["verdict"],
        "failed": failed,
        "controls": {result.name: bool(result.passed) for result in results},
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
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.AdamW(model.parameters())
    data = torch.randn(32, 64), torch.randint(10, (32,))

    def step():
        with record_function("train_step"):
            with record_function("transfer"):
                x, y = (part.to("cpu") for part in data)
            with record_function("forward"):
                loss = F.cross_entropy(model(x), y)
            with record_function("backward"):
                loss.backward()
            with record_function("optimizer"):
                optimizer.step()
                optimizer.zero_grad()

    step()
    step()
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        step()
    prof.export_chrome_trace(str(trace_path))
    events = json.loads(Path(trace_path).read_text())["traceEvents"]
    ranges = {e["name"]: e["dur"] for e in events if e.get("cat") == "user_annotation"}
    phases = {name: float(ranges[name]) for name in PHASES[1:]}
    return {
        "trace": str(trace_path),
        "train_step": float(ranges["train_step"]),
        "phases": phases,
        "sentence": f"Most of the step's time is spent in {max(phases, key=phases.get)}.",
    }
