"""Another solution: ranges as a helper, NumPy for statistics, the profiler driven by hand."""

# ruff: noqa
# left as a student would hand it in

import contextlib
import itertools
import time
from pathlib import Path

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.flop_counter import FlopCounterMode

NAMES = ("transfer", "forward", "backward", "optimizer")


@contextlib.contextmanager
def _timed(name, clock, into):
    begin = clock()
    with record_function(name):
        yield
    into[name] = into.get(name, 0) + clock() - begin


def annotated_step(trainer, batch, clock=time.perf_counter):
    into = {}
    with _timed("train_step", clock, into):
        with _timed("transfer", clock, into):
            x, y = trainer.transfer(batch)
        with _timed("forward", clock, into):
            loss = trainer.forward(x, y)
        with _timed("backward", clock, into):
            trainer.backward(loss)
        with _timed("optimizer", clock, into):
            trainer.update()
    return torch.as_tensor(loss.detach()), into


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    wait, warmup, active, repeat = plan["wait"], plan["warmup"], plan["active"], plan["repeat"]
    if min(wait, warmup, active - 1, repeat - 1) < 0:
        raise ValueError("nothing to measure")
    folder = None if trace_dir is None else Path(trace_dir)
    kept, traces, iterator = [], [], iter(())

    def one():
        nonlocal iterator
        into = {}
        with _timed("data_wait", clock, into):
            try:
                batch = trainer.fetch(iterator)
            except StopIteration:
                iterator = iter(loader)
                try:
                    batch = trainer.fetch(iterator)
                except StopIteration as stop:
                    raise ValueError("no batches") from stop
        return into | annotated_step(trainer, batch, clock)[1]

    for window in range(repeat):
        for _ in range(wait):
            one()
        with contextlib.ExitStack() as stack:
            prof = None
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)

                def export(done, number=window):
                    traces.append(str(folder / f"{number:03}.json"))
                    done.export_chrome_trace(traces[-1])

                prof = stack.enter_context(
                    profile(
                        activities=[ProfilerActivity.CPU],
                        schedule=schedule(wait=0, warmup=warmup, active=active, repeat=1),
                        on_trace_ready=export,
                    )
                )
            for number in range(warmup + active):
                seconds = one()
                if number >= warmup:
                    kept.append(seconds)
                if prof:
                    prof.step()
    order = ["data_wait", *NAMES, "residual"]
    table = np.array([[row[name] for name in ("data_wait", *NAMES)] for row in kept])
    step = np.array([row["train_step"] for row in kept])
    table = np.column_stack([table, step - table[:, 1:].sum(axis=1)])
    whole = (table[:, 0] + step).sum()
    share = table.sum(axis=0) / whole if whole else np.zeros(6)
    p50, p90 = np.percentile(table, [50, 90], axis=0)
    return {
        "steps": len(kept),
        "rows": {n: dict(p50=p50[i], p90=p90[i], share=share[i]) for i, n in enumerate(order)},
        "slowest": order[int(np.argmax(p50[:5]))],
        "traces": tuple(traces),
    }


def operator_table(prof, by_shape=False):
    averages = prof.key_averages(group_by_input_shape=by_shape)
    if by_shape and not prof.record_shapes:
        raise ValueError("no shapes recorded")
    table = []
    for entry in sorted(averages, key=lambda e: (-e.self_cpu_time_total, e.key)):
        row = dict(
            name=str(entry.key),
            count=int(entry.count),
            shapes=None,
            self_bytes=None,
            total_bytes=None,
            device_us=float(entry.self_device_time_total),
            self_us=float(entry.self_cpu_time_total),
            total_us=float(entry.cpu_time_total),
        )
        if by_shape:
            row["shapes"] = [list(shape) for shape in entry.input_shapes]
        if prof.profile_memory:
            row["self_bytes"] = int(entry.self_cpu_memory_usage)
            row["total_bytes"] = int(entry.cpu_memory_usage)
        table.append(row)
    return table


def reconcile_flops(step, hand):
    with FlopCounterMode(display=False) as counter:
        step()
    counted = sum(
        sum(ops.values()) for name, ops in counter.get_flop_counts().items() if name == "Global"
    )
    total = sum(hand.values())
    best = None
    for mask in itertools.product([False, True], repeat=len(hand)):
        chosen = list(itertools.compress(hand, mask))
        if sum(hand[name] for name in chosen) == total - counted:
            best = chosen if best is None or len(chosen) < len(best) else best
    best = best or []
    return {
        "hand": total,
        "counted": counted,
        "missing": total - counted,
        "excluded": tuple(best),
        "included": tuple(name for name in hand if name not in best),
        "unexplained": total - counted - sum(hand[name] for name in best),
    }


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    waits, begin = [], clock()
    iterator = iter(loader)
    for _ in itertools.count() if batches is None else range(batches):
        begin = clock() if waits else begin
        if next(iterator, waits) is waits:
            break
        waits.append(clock() - begin)
    if len(waits) < 2:
        raise ValueError("too few")
    rest = np.array(waits[1:])
    rate = 1 / rest.mean() if rest.any() else np.inf
    p50, p90 = np.percentile(rest, [50, 90])
    return {
        "batches": len(waits),
        "first": waits[0],
        "p50": p50,
        "p90": p90,
        "rate": rate,
        "covers": None if step_time is None else bool(rate * step_time >= 1),
    }


def verify_optimization(base, new, samples, controls, *, steps=4, rtol=1e-4, seed=0):
    def flat(tensor):
        return tensor.detach().double().numpy()

    def agree(old, fresh):
        if old.shape != fresh.shape:
            return False
        return bool(np.all(np.abs(old - fresh) <= rtol * np.abs(old).max(initial=0)))

    def look(make):
        trainer = make(seed)
        x, y = trainer.transfer(trainer.fetch(iter(base(seed).batches)))
        torch.manual_seed(seed)
        outputs = flat(trainer.model(x))
        torch.manual_seed(seed)
        loss = trainer.forward(x, y)
        trainer.backward(loss)
        grads = {}
        for name, parameter in trainer.model.named_parameters():
            name = name[10:] if name.startswith("_orig_mod.") else name
            grads[name] = None if parameter.grad is None else flat(parameter.grad)
        return outputs, flat(loss), grads

    def train(trainer, count):
        source = iter(trainer.batches)
        losses = np.array([float(trainer.step(source)) for _ in range(count)])
        return losses, {k: v.clone().numpy() for k, v in trainer.model.state_dict().items()}

    def start(make, offset=0):
        trainer = make(seed)
        torch.manual_seed(seed + offset)
        return trainer

    old, fresh = look(base), look(new)
    parts = {"outputs": agree(old[0], fresh[0]) and agree(old[1], fresh[1])}
    parts["gradients"] = sorted(old[2]) == sorted(fresh[2]) and all(
        (grad is None and fresh[2][name] is None)
        or (grad is not None and fresh[2][name] is not None and agree(grad, fresh[2][name]))
        for name, grad in old[2].items()
    )
    whole, weights = train(start(new), 2 * steps)
    parts["losses"] = agree(train(start(base), 2 * steps)[0], whole)
    told = {}
    for control in controls:
        outcome = control(new)
        told[outcome.name] = bool(outcome.passed)
    parts["controls"] = False not in told.values()
    first = start(new)
    train(first, steps)
    saved = first.state_dict()
    second = start(new, 1)
    parts["resume"] = True
    try:
        second.load_state_dict(saved)
    except Exception:
        parts["resume"] = False
    if parts["resume"]:
        losses, ended = train(second, steps)
        parts["resume"] = bool((losses == whole[steps:]).all()) and all(
            np.array_equal(ended[name], weights[name]) for name in weights
        )
    failed = [
        name for name in ("outputs", "gradients", "losses", "controls", "resume") if not parts[name]
    ]
    ratios = np.divide(*map(np.asarray, samples))
    drawn = np.random.default_rng(seed).choice(ratios, (3000, len(ratios)))
    low, high = np.quantile(np.median(drawn, axis=1), [0.005, 0.995])
    word = "inconclusive"
    if len(ratios) >= 20:
        if low > 1.02:
            word = "gain"
        elif high < 1 / 1.02:
            word = "slower"
        elif low >= 1 / 1.05 and high <= 1.05:
            word = "null"
    speed = {"ratio": np.median(ratios), "low": low, "high": high, "verdict": word}
    return {
        "verdict": "reject" if failed else word,
        "failed": failed,
        "controls": told,
        "speed": speed,
    }


def closed_book_step(trace_path):
    w1, w2 = (torch.nn.Linear(64, 32), torch.nn.Linear(32, 10))
    optimizer = torch.optim.SGD([*w1.parameters(), *w2.parameters()], lr=0.01, momentum=0.9)
    images, labels = torch.rand(64, 64), torch.arange(64) % 10

    def once():
        with record_function("train_step"):
            with record_function("transfer"):
                x, y = images.to("cpu", copy=True), labels.to("cpu", copy=True)
            with record_function("forward"):
                loss = torch.nn.functional.cross_entropy(w2(w1(x).relu()), y)
            with record_function("backward"):
                optimizer.zero_grad()
                loss.backward()
            with record_function("optimizer"):
                optimizer.step()

    for _ in range(3):
        once()
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        once()
    prof.export_chrome_trace(str(trace_path))
    spans = {e.name: e.time_range.elapsed_us() for e in prof.events() if e.is_user_annotation}
    phases = {name: spans[name] for name in NAMES}
    biggest = max(phases.items(), key=lambda item: item[1])
    return {
        "trace": str(trace_path),
        "train_step": spans["train_step"],
        "phases": phases,
        "sentence": f"{biggest[0].upper()} takes {biggest[1] / spans['train_step']:.0%}.",
    }
