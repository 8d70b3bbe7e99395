"""Another solution: own clocks, raw profiler events, the trace as JSON, sums by recursion."""

# ruff: noqa
# left as a student would hand it in

import json
import math
import os
import statistics
import time
from contextlib import ExitStack

import torch
import torch.profiler as tp
from torch.utils.flop_counter import FlopCounterMode


def annotated_step(trainer, batch, clock=time.perf_counter):
    times = {}
    with ExitStack() as step:
        step.enter_context(tp.record_function("train_step"))
        start = before = clock()
        with tp.record_function("transfer"):
            inputs, labels = trainer.transfer(batch)
        after = clock()
        times["transfer"], before = after - before, after
        with tp.record_function("forward"):
            loss = trainer.forward(inputs, labels)
        after = clock()
        times["forward"], before = after - before, after
        with tp.record_function("backward"):
            trainer.backward(loss)
        after = clock()
        times["backward"], before = after - before, after
        with tp.record_function("optimizer"):
            trainer.update()
        after = clock()
        times["optimizer"], times["train_step"] = after - before, after - start
    return loss.detach().clone(), times


def _endless(loader):
    while True:
        empty = True
        for batch in loader:
            empty = False
            yield batch
        if empty:
            raise ValueError("empty loader")


def _percentile(values, q):
    values = sorted(values)
    place = q * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] * (1 - (place - below)) + values[above] * (place - below)


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    if plan["active"] <= 0 or plan["repeat"] <= 0 or min(plan["wait"], plan["warmup"]) < 0:
        raise ValueError("bad plan")
    when = tp.schedule(**plan)
    source, rows, files, prof = _endless(loader), [], [], None
    if trace_dir:
        os.makedirs(trace_dir, exist_ok=True)

        def ready(finished):
            files.append(os.path.join(trace_dir, f"steps_up_to_{finished.step_num}.pt.trace.json"))
            finished.export_chrome_trace(files[-1])

        prof = tp.profile(activities=[tp.ProfilerActivity.CPU], schedule=when, on_trace_ready=ready)
        prof.start()
    try:
        for number in range((plan["wait"] + plan["warmup"] + plan["active"]) * plan["repeat"]):
            start = clock()
            with tp.record_function("data_wait"):
                batch = trainer.fetch(source)
            waited = clock() - start
            _, times = annotated_step(trainer, batch, clock)
            if when(number) in (tp.ProfilerAction.RECORD, tp.ProfilerAction.RECORD_AND_SAVE):
                times["data_wait"] = waited
                times["residual"] = times["train_step"] - sum(
                    times[name] for name in ("transfer", "forward", "backward", "optimizer")
                )
                rows.append(times)
            if prof:
                prof.step()
    finally:
        if prof:
            prof.stop()
    names = ["data_wait", "transfer", "forward", "backward", "optimizer", "residual"]
    whole = math.fsum(row["data_wait"] + row["train_step"] for row in rows)
    table = {}
    for name in names:
        column = [row[name] for row in rows]
        table[name] = {
            "p50": statistics.median(column),
            "p90": _percentile(column, 0.9),
            "share": math.fsum(column) / whole if whole else 0.0,
        }
    slowest = max(names[:-1], key=lambda name: table[name]["p50"])
    return {"traces": files, "slowest": slowest, "rows": table, "steps": len(rows)}


def operator_table(prof, by_shape=False):
    if by_shape and not prof.record_shapes:
        raise ValueError("no shapes")
    rows = {}
    for event in prof.events():
        shapes = event.input_shapes if by_shape else None
        row = rows.setdefault(
            (event.name, str(shapes)),
            {
                "name": event.name,
                "shapes": shapes,
                "count": 0,
                "self_us": 0,
                "total_us": 0,
                "device_us": 0,
                "self_bytes": 0,
                "total_bytes": 0,
            },
        )
        row["count"] += 1
        row["self_us"] += event.self_cpu_time_total
        row["total_us"] += event.cpu_time_total
        row["device_us"] += event.self_device_time_total
        row["self_bytes"] += event.self_cpu_memory_usage
        row["total_bytes"] += event.cpu_memory_usage
    table = list(rows.values())
    if not prof.profile_memory:
        for row in table:
            row["self_bytes"] = row["total_bytes"] = None
    table.sort(key=lambda row: row["name"])
    table.sort(key=lambda row: row["self_us"], reverse=True)
    return table


def reconcile_flops(step, hand):
    counter = FlopCounterMode(display=False)
    with counter:
        step()
    counted = counter.get_total_flops()
    gap = sum(hand.values()) - counted
    names = list(hand)

    def pick(start, left, size):
        if size == 0:
            return [] if left == 0 else None
        for index in range(start, len(names)):
            rest = pick(index + 1, left - hand[names[index]], size - 1)
            if rest is not None:
                return [names[index], *rest]
        return None

    excluded = []
    for size in range(len(names) + 1):
        found = pick(0, gap, size)
        if found is not None:
            excluded = found
            break
    return {
        "excluded": excluded,
        "included": [n for n in names if n not in excluded],
        "unexplained": gap - sum(hand[n] for n in excluded),
        "missing": gap,
        "counted": counted,
        "hand": sum(hand.values()),
    }


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    marks = [clock()]
    for _ in loader:
        marks.append(clock())
        if batches is not None and len(marks) > batches:
            break
    if len(marks) < 3:
        raise ValueError("too few batches")
    waits = [after - before for before, after in zip(marks, marks[1:])]
    span = marks[-1] - marks[1]
    rate = (len(waits) - 1) / span if span > 0 else float("inf")
    return {
        "rate": rate,
        "first": waits[0],
        "batches": len(waits),
        "p50": statistics.median(waits[1:]),
        "p90": _percentile(waits[1:], 0.9),
        "covers": bool(rate * step_time >= 1) if step_time is not None else None,
    }


def _near(a, b, rtol):
    if a is None or b is None:
        return (a is None) == (b is None)
    if a.shape != b.shape:
        return False
    return not bool((~((a - b).abs() <= rtol * a.abs().amax())).any())


def _losses(trainer, iterator, count):
    return [trainer.step(iterator).item() for _ in range(count)]


def verify_optimization(base, new, samples, controls, *, steps=4, rtol=1e-4, seed=0):
    failed = []
    batch = next(iter(base(seed).batches))
    seen = []
    for make in (base, new):
        trainer = make(seed)
        x, y = trainer.transfer(batch)
        torch.manual_seed(seed)
        outputs = trainer.model(x).detach()
        torch.manual_seed(seed)
        loss = trainer.forward(x, y)
        trainer.backward(loss)
        grads = {n.replace("_orig_mod.", ""): p.grad for n, p in trainer.model.named_parameters()}
        seen.append((outputs, loss.detach(), grads))
    (out_a, loss_a, grad_a), (out_b, loss_b, grad_b) = seen
    if not (_near(out_a, out_b, rtol) and _near(loss_a, loss_b, rtol)):
        failed.append("outputs")
    if set(grad_a) != set(grad_b) or not all(_near(grad_a[n], grad_b[n], rtol) for n in grad_a):
        failed.append("gradients")
    runs = []
    for make in (base, new):
        trainer = make(seed)
        torch.manual_seed(seed)
        runs.append((_losses(trainer, iter(trainer.batches), 2 * steps), trainer.model))
    if not _near(torch.tensor(runs[0][0]), torch.tensor(runs[1][0]), rtol):
        failed.append("losses")
    outcomes = [control(new) for control in controls]
    if not all(outcome.passed for outcome in outcomes):
        failed.append("controls")
    half = new(seed)
    torch.manual_seed(seed)
    _losses(half, iter(half.batches), steps)
    state = half.state_dict()
    again = new(seed)
    torch.manual_seed(seed + 12345)
    try:
        again.load_state_dict(state)
        tail = _losses(again, iter(again.batches), steps)
        weights, true = again.model.state_dict(), runs[1][1].state_dict()
        fine = tail == runs[1][0][steps:] and all(torch.equal(weights[n], true[n]) for n in true)
    except Exception:
        fine = False
    if not fine:
        failed.append("resume")
    ratios = [a / b for a, b in zip(*samples)]
    generator = torch.Generator().manual_seed(seed)
    medians = sorted(
        statistics.median(
            ratios[i]
            for i in torch.randint(len(ratios), (len(ratios),), generator=generator).tolist()
        )
        for _ in range(2000)
    )
    low, high = medians[10], medians[1989]
    if len(ratios) < 20:
        word = "inconclusive"
    elif low > 1.02:
        word = "gain"
    elif high < 1 / 1.02:
        word = "slower"
    elif 1 / 1.05 <= low and high <= 1.05:
        word = "null"
    else:
        word = "inconclusive"
    speed = dict(ratio=statistics.median(ratios), low=low, high=high, verdict=word)
    return {
        "speed": speed,
        "failed": failed,
        "verdict": "reject" if failed else word,
        "controls": {outcome.name: outcome.passed for outcome in outcomes},
    }


def closed_book_step(trace_path):
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(20, 50), torch.nn.Tanh(), torch.nn.Linear(50, 50), torch.nn.Linear(50, 4)
    )
    adam = torch.optim.Adam(net.parameters())
    data = torch.randn(16, 20), torch.randint(0, 4, (16,))

    class Trainer:
        def transfer(self, batch):
            return tuple(part.clone() for part in batch)

        def forward(self, x, y):
            return torch.nn.functional.cross_entropy(net(x), y)

        def backward(self, loss):
            loss.backward()

        def update(self):
            adam.step()
            adam.zero_grad()

    for _ in range(2):
        annotated_step(Trainer(), data)
    with tp.profile(activities=[tp.ProfilerActivity.CPU]) as prof:
        annotated_step(Trainer(), data)
    prof.export_chrome_trace(trace_path)
    with open(trace_path) as file:
        events = json.load(file)["traceEvents"]
    times = {e["name"]: e["dur"] for e in events if e.get("cat") == "user_annotation"}
    phases = {name: times[name] for name in ("transfer", "forward", "backward", "optimizer")}
    top = sorted(phases, key=phases.get)[-1]
    return {
        "sentence": f"Most of the step is spent in the {top} ({phases[top]} us).",
        "phases": phases,
        "train_step": times["train_step"],
        "trace": trace_path,
    }
