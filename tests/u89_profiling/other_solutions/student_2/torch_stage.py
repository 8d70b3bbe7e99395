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
import copy
import itertools
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.flop_counter import FlopCounterMode

PHASES = ("data_wait", "transfer", "forward", "backward", "optimizer")


def _on_cuda(trainer):
    """Whether the trainer's work is done by a GPU on its own time."""
    return torch.device(getattr(trainer, "device", "cpu")).type == "cuda"


@contextlib.contextmanager
def _phase(name, seconds, clock, on_device):
    """Open a profiler range and write its time by `clock` into `seconds`."""
    with record_function(name):
        if on_device:
            torch.cuda.synchronize()
        start = clock()
        yield
        if on_device:
            torch.cuda.synchronize()
        seconds[name] = clock() - start


def _agree(old, new, rtol):
    """Whether two tensors (or two missing ones) agree within `rtol` of the old one's largest."""
    if old is None or new is None:
        return old is new
    old, new = (torch.as_tensor(t).detach().to("cpu", torch.float64) for t in (old, new))
    largest = old.abs().amax().item() if old.numel() else 0.0
    if not largest < float("inf"):
        return False
    return old.shape == new.shape and torch.allclose(new, old, rtol=0.0, atol=rtol * largest)


def _one_batch(make, batch, seed):
    """Return (output, loss) and the gradients of a fresh trainer on one batch."""
    trainer = make(seed)
    x, y = trainer.transfer(batch)
    torch.manual_seed(seed)
    output = trainer.model(x).detach().clone()
    torch.manual_seed(seed)
    loss = trainer.forward(x, y)
    value = loss.detach().clone()
    trainer.backward(loss)
    gradients = {
        name.replace("_orig_mod.", ""): parameter.grad
        for name, parameter in trainer.model.named_parameters()
    }
    return (output, value), gradients


def _train(make, steps, seed):
    """Return the losses and the model's state after some steps of a fresh trainer."""
    trainer = make(seed)
    torch.manual_seed(seed)
    return _go_on(trainer, steps), copy.deepcopy(trainer.model.state_dict())


def _go_on(trainer, steps):
    iterator = iter(trainer.batches)
    return [torch.as_tensor(trainer.step(iterator)).detach().clone() for _ in range(steps)]


def _resumes(make, steps, seed, losses, state):
    """Whether a run that is saved and loaded half-way ends like the one that was not."""
    try:
        trainer = make(seed)
        torch.manual_seed(seed)
        _go_on(trainer, steps)
        saved = copy.deepcopy(trainer.state_dict())
        trainer = make(seed)
        torch.manual_seed(seed + 1_000_003)
        trainer.load_state_dict(saved)
        again = _go_on(trainer, steps)
    except Exception:  # whatever stops it, it does not resume
        return False
    now = trainer.model.state_dict()
    same = now.keys() == state.keys() and all(_same_bits(now[name], state[name]) for name in now)
    return same and all(map(_same_bits, losses, again))


def _same_bits(a, b):
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.dtype == b.dtype and torch.equal(a, b)
    return type(a) is type(b) and a == b


def _speed(old, new, seed, draws=2000):
    """Return median ratio, 99 % interval and verdict of paired times."""
    old, new = (torch.as_tensor(times, dtype=torch.float64) for times in (old, new))
    if old.ndim != 1 or old.shape != new.shape or not len(old):
        raise ValueError("samples are not two lists of times of one length, above 0")
    if not (torch.isfinite(old / new) & (old > 0) & (new > 0)).all():
        raise ValueError("a time is not finite and positive")
    ratios = old / new
    generator = torch.Generator().manual_seed(seed)
    half = torch.tensor([0.005, 0.995], dtype=torch.float64)
    medians = torch.stack(
        [
            ratios[torch.randint(len(ratios), ratios.shape, generator=generator)].quantile(0.5)
            for _ in range(draws)
        ]
    )
    low, high = medians.quantile(half).tolist()
    if len(ratios) < 20:
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
    on_device = _on_cuda(trainer)
    with _phase("train_step", seconds, clock, on_device):
        with _phase("transfer", seconds, clock, on_device):
            x, y = trainer.transfer(batch)
        with _phase("forward", seconds, clock, on_device):
            loss = trainer.forward(x, y)
        with _phase("backward", seconds, clock, on_device):
            trainer.backward(loss)
        with _phase("optimizer", seconds, clock, on_device):
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
        raise ValueError(f"{plan}: active and repeat must be 1 or more, the others 0 or more")
    window = wait + warmup + active
    on_device = _on_cuda(trainer)
    traces, measured = [], []
    iterator = None

    def fetch():
        nonlocal iterator
        if iterator is not None:
            with contextlib.suppress(StopIteration):
                return trainer.fetch(iterator)
        iterator = iter(loader)
        try:
            return trainer.fetch(iterator)
        except StopIteration:
            raise ValueError("the loader has no batch") from None

    def export(prof):
        traces.append(str(Path(trace_dir) / f"window_{len(traces):03d}.json"))
        prof.export_chrome_trace(traces[-1])

    with contextlib.ExitStack() as stack:
        end_iteration = bool
        if trace_dir is not None:
            Path(trace_dir).mkdir(parents=True, exist_ok=True)
            prof = stack.enter_context(
                profile(
                    activities=[ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * on_device,
                    schedule=schedule(wait=wait, warmup=warmup, active=active, repeat=repeat),
                    on_trace_ready=export,
                )
            )
            end_iteration = prof.step
        for iteration in range(window * repeat):
            seconds = {}
            with _phase("data_wait", seconds, clock, on_device):
                batch = fetch()
            seconds.update(annotated_step(trainer, batch, clock)[1])
            if iteration % window >= wait + warmup:
                measured.append(seconds)
            end_iteration()

    phases = torch.tensor([[row[n] for n in PHASES] for row in measured], dtype=torch.float64)
    whole = torch.tensor([row["train_step"] for row in measured], dtype=torch.float64)
    residual = whole - phases[:, 1:].sum(dim=1)
    table = torch.column_stack([phases, residual])
    p50, p90 = torch.quantile(table, torch.tensor([0.5, 0.9], dtype=torch.float64), dim=0)
    everything = (phases[:, 0] + whole).sum()
    shares = torch.where(everything > 0, table.sum(dim=0) / everything, torch.zeros(()))
    return {
        "steps": len(measured),
        "rows": {
            name: {"p50": p50[i], "p90": p90[i], "share": shares[i]}
            for i, name in enumerate((*PHASES, "residual"))
        },
        "slowest": PHASES[int(p50[:-1].argmax())],
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
        raise ValueError("the profile did not record shapes: profile(record_shapes=True)")
    memory = bool(prof.profile_memory)
    rows = [
        {
            "name": entry.key,
            "count": int(entry.count),
            "shapes": copy.deepcopy(entry.input_shapes or []) if by_shape else None,
            "self_us": entry.self_cpu_time_total,
            "total_us": entry.cpu_time_total,
            "device_us": entry.self_device_time_total,
            "self_bytes": entry.self_cpu_memory_usage if memory else None,
            "total_bytes": entry.cpu_memory_usage if memory else None,
        }
        for entry in prof.key_averages(group_by_input_shape=by_shape)
    ]
    return sorted(rows, key=lambda row: (-row["self_us"], row["name"]))


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
    if len(hand) > 16:
        raise ValueError(f"{len(hand)} terms, at most 16")
    with FlopCounterMode(display=False) as counter:
        step()
    counted = int(counter.get_total_flops())
    terms = {name: int(flops) for name, flops in hand.items()}
    total = sum(terms.values())
    missing = total - counted
    every_set = itertools.chain.from_iterable(
        itertools.combinations(terms, size) for size in range(len(terms) + 1)
    )
    excluded = next((s for s in every_set if sum(map(terms.get, s)) == missing), ())
    return {
        "hand": total,
        "counted": counted,
        "missing": missing,
        "excluded": list(excluded),
        "included": [name for name in terms if name not in excluded],
        "unexplained": missing - sum(map(terms.get, excluded)),
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
    marks = [clock()]
    for _ in itertools.islice(loader, batches):
        marks.append(clock())
    if len(marks) < 3:
        raise ValueError(f"{len(marks) - 1} batches, at least 2 are needed")
    first, *others = torch.tensor(marks, dtype=torch.float64).diff()
    others = torch.stack(others)
    rate = len(others) / others.sum()  # infinite for 0, as tensors divide
    return {
        "batches": len(marks) - 1,
        "first": first,
        "p50": others.quantile(0.5),
        "p90": others.quantile(0.9),
        "rate": rate,
        "covers": None if step_time is None else bool(rate * step_time >= 1),
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
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng())
        parts = {}
        example = next(iter(base(seed).batches))
        old, fresh = (_one_batch(make, copy.deepcopy(example), seed) for make in (base, new))
        parts["outputs"] = all(map(_agree, old[0], fresh[0], [rtol] * 2))
        parts["gradients"] = old[1].keys() == fresh[1].keys() and all(
            _agree(old[1][name], fresh[1][name], rtol) for name in old[1]
        )
        old_losses, _ = _train(base, 2 * steps, seed)
        new_losses, new_state = _train(new, 2 * steps, seed)
        parts["losses"] = all(_agree(a, b, rtol) for a, b in zip(old_losses, new_losses))
        results = [control(new) for control in controls]
        parts["controls"] = all(bool(result.passed) for result in results)
        parts["resume"] = _resumes(new, steps, seed, new_losses[steps:], new_state)
    speed = _speed(*samples, seed)
    failed = [name for name, passed in parts.items() if not passed]
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
    seconds, opened = {}, contextlib.ExitStack()
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, foreach=False)
    data = torch.randn(32, 64), torch.randint(10, (32,))

    def step():
        with record_function("train_step"):
            with record_function("transfer"):
                x, y = (part.to("cpu", copy=True) for part in data)
            with record_function("forward"):
                loss = F.cross_entropy(net(x), y)
            with record_function("backward"):
                loss.backward()
            optimizer.step()
            optimizer.zero_grad()

    # The optimizer opens and closes its own range, wherever it is called.
    optimizer.register_step_pre_hook(
        lambda *_: opened.enter_context(record_function("optimizer")) and None
    )
    optimizer.register_step_post_hook(lambda *_: opened.close())
    for _ in range(3):
        step()
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        step()
    prof.export_chrome_trace(str(trace_path))
    for event in prof.events():
        if event.name in ("train_step", *PHASES[1:]):
            seconds[event.name] = event.cpu_time_total
    whole = seconds.pop("train_step")
    largest = max(seconds, key=seconds.get)
    return {
        "trace": str(trace_path),
        "train_step": whole,
        "phases": {name: seconds[name] for name in PHASES[1:]},
        "sentence": f"Of this step most time, {seconds[largest]:.0f} us, went into {largest}.",
    }
