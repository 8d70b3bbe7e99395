"""Probes of unit 8.9: they run beside the student's code and return plain data, no truth.

torch is imported inside functions: the NumPy stage's workers read this file too.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

INSTRUMENTS = ("trace",)

# the profiler of torch 2.13 otherwise writes a line on stderr at each start and stop
os.environ.setdefault("KINETO_LOG_LEVEL", "99")

PHASES = ("data_wait", "transfer", "forward", "backward", "optimizer")


# Doubles: a clock that only moves when told to, and a trainer and a loader that move it.


class HandClock:
    """A clock [s] that stands still until somebody passes time."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def pass_time(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


class TrainerDouble:
    """A trainer whose phases take the time they are told to and leave a mark in the trace."""

    def __init__(self, clock: HandClock, costs: list[dict[str, float]]) -> None:
        import torch

        self.clock, self.costs = clock, costs
        self.calls: list[str] = []
        self.tools: set[str] = set()
        self.weight = torch.ones(3, requires_grad=True)

    def _work(self, phase: str) -> None:
        import torch

        done = sum(call == "optimizer" for call in self.calls)
        self.calls.append(phase)
        with torch.profiler.record_function(f"work:{phase}"):
            self.clock.pass_time(self.costs[min(done, len(self.costs) - 1)][phase])
        if torch.is_anomaly_enabled():
            self.tools.add("anomaly detection")
        if torch.autograd.profiler._is_profiler_enabled:
            self.tools.add("profiler")

    def fetch(self, iterator: Iterator[Any]) -> Any:
        """Return the next batch."""
        return next(iterator)

    def transfer(self, batch: Any) -> tuple[Any, Any]:
        """Return the batch twice."""
        self._work("transfer")
        return batch, batch

    def forward(self, x: Any, y: Any) -> Any:
        """Return a loss with a graph."""
        self._work("forward")
        return (self.weight * x).sum()

    def backward(self, loss: Any) -> None:
        """Run the backward."""
        self._work("backward")
        loss.backward()

    def update(self) -> None:
        """Drop the gradient."""
        self._work("optimizer")
        self.weight.grad = None


class LoaderDouble:
    """A loader of a few batches, each of which takes its time."""

    def __init__(self, clock: HandClock, waits: list[float]) -> None:
        self.clock, self.waits = clock, waits

    def __iter__(self) -> Iterator[Any]:
        import torch

        for wait in self.waits:
            with torch.profiler.record_function("work:load"):
                self.clock.pass_time(wait)
            yield torch.full((3,), 2.0)


def _ranges(events: Any) -> list[list[Any]]:
    """Return name, start and end [ns] of the ranges of a trace, in the order of their starts."""
    from grader.instruments import trace

    return [[event.name, event.start, event.end] for event in trace.user_ranges(events)]


# 8.9.j annotated_step


def annotated(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run one annotated step, without a profiler and then under one that belongs to the probe."""
    import torch

    from grader.instruments import trace

    seen: dict[str, Any] = {}
    for way in ("bare", "profiled"):
        clock = HandClock()
        trainer = TrainerDouble(clock, [case["costs"]])
        batch = torch.full((3,), 2.0)
        if way == "bare":
            loss, seconds = stage.annotated_step(trainer, batch, clock)
        else:
            activities = [torch.profiler.ProfilerActivity.CPU]
            with torch.profiler.profile(activities=activities) as prof:
                loss, seconds = stage.annotated_step(trainer, batch, clock)
            path = Path(case["scratch"], "annotated.json")
            prof.export_chrome_trace(str(path))
            seen["ranges"] = _ranges(trace.read_trace(path))
        is_tensor = isinstance(loss, torch.Tensor)
        seen[way] = {
            "seconds": seconds,
            "calls": trainer.calls,
            "loss": loss.detach() if is_tensor else loss,
            "tensor": is_tensor,
            "graph": is_tensor and loss.requires_grad,
        }
    return seen


# 8.9.k profile_steps


def profiled(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Profile a loop of doubles; return the table and what is in the traces."""
    from grader.instruments import trace

    clock = HandClock()
    trainer = TrainerDouble(clock, case["costs"])
    loader = LoaderDouble(clock, case["waits"])
    folder = Path(case["scratch"], case["folder"]) if case["folder"] else None
    table = stage.profile_steps(
        trainer, loader, case["plan"], None if folder is None else str(folder), clock
    )
    traces = []
    names = table.get("traces", ()) if isinstance(table, dict) else ()
    for path in names if isinstance(names, list | tuple) else ():
        try:
            document = trace.load(str(path))
            events = trace.events_of(document)
        except trace.TraceError as error:
            traces.append({"problem": str(error)})
            continue
        traces.append(
            {
                "problem": "",
                "ranges": _ranges(events),
                "flags": [
                    flag
                    for flag in ("with_stack", "record_shapes", "profile_memory")
                    if document.get(flag)
                ],
            }
        )
    return {
        "table": table,
        "traces": traces,
        "iterations": trainer.calls.count("optimizer"),
        "tools": sorted(trainer.tools),
    }


# 8.9.l operator_table


def operators(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Profile products of two shapes and a convolution; return the table and the raw events."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    m, k, n, wide = (case[name] for name in ("m", "k", "n", "wide"))
    left, right, other = torch.ones(m, k), torch.ones(k, n), torch.ones(k, wide)
    image, kernel = torch.ones(1, 2, 8, 8), torch.ones(3, 2, 3, 3)
    torch.conv2d(image, kernel)
    with profile(
        activities=[ProfilerActivity.CPU],
        record_shapes=case["record"],
        profile_memory=case["record"],
    ) as prof:
        for _ in range(case["narrow_calls"]):
            left @ right
        for _ in range(case["wide_calls"]):
            left @ other
        torch.conv2d(image, kernel)
    raw: dict[str, dict[str, Any]] = {}
    for event in prof.events():
        key = repr([event.name, event.input_shapes if case["by_shape"] else None])
        row = raw.setdefault(
            key, {"name": event.name, "count": 0, "self_us": 0.0, "total_us": 0.0,
                  "self_bytes": 0, "total_bytes": 0}
        )  # fmt: skip
        row["count"] += 1
        row["self_us"] += event.self_cpu_time_total
        row["total_us"] += event.cpu_time_total
        row["self_bytes"] += event.self_cpu_memory_usage
        row["total_bytes"] += event.cpu_memory_usage
    return {"table": stage.operator_table(prof, case["by_shape"]), "raw": list(raw.values())}


# 8.9.m reconcile_flops


def reconciled(stage: Any, case: dict[str, Any]) -> Any:
    """Reconcile one of a few steps with the hand count of the case."""
    import torch
    from torch.nn import functional as F

    b, t, d, h = (case[name] for name in ("b", "t", "d", "h"))
    x = torch.ones(b, t, d)
    first, second = torch.ones(d, 3 * d, requires_grad=True), torch.ones(d, d, requires_grad=True)

    def forward() -> Any:
        q, k, v = (x @ first).reshape(b, t, 3, h, d // h).permute(2, 0, 3, 1, 4)
        if case["kind"] == "manual":
            mixed = (q @ k.transpose(-1, -2)).softmax(-1) @ v
        else:
            mixed = F.scaled_dot_product_attention(q, k, v)
        return (mixed.transpose(1, 2).reshape(b, t, d) @ second).sum()

    def step() -> Any:
        loss = forward()
        if case["backward"]:
            loss.backward()
        return loss

    return stage.reconcile_flops(step, case["hand"])


# 8.9.n loader_supply


def supplied(stage: Any, case: dict[str, Any]) -> Any:
    """Measure the supply of a loader on a clock that only the loader moves."""
    clock = HandClock()
    loader = LoaderDouble(clock, case["waits"])
    return stage.loader_supply(loader, case["batches"], case["step_time"], clock)


# 8.9.o verify_optimization


@cache
def _digits() -> Any:
    """Return the training digits, read once."""
    from compact.data import split

    return split()[0]


def _make_base() -> Any:
    """Return ``make(seed)`` for a small trainer on real digits."""
    from compact.config import ModelConfig
    from compact.trainer import make_trainer

    def make(seed: int) -> Any:
        config = ModelConfig(widths=(64, 24, 10), dropout=0.1)
        return make_trainer(config, seed=seed, lr=1e-2, batch_size=32, dataset=_digits())

    return make


def _patched(change: Any) -> Any:
    """Return ``make(seed)`` of the base trainer after `change` was applied to it."""
    base = _make_base()

    def make(seed: int) -> Any:
        trainer = base(seed)
        change(trainer)
        return trainer

    return make


def _add_in_another_order(trainer: Any) -> None:
    """Compute the first layer in double precision: the same but for the last bits."""
    trainer.model.layers[0].register_forward_hook(
        lambda module, inputs, output: (
            inputs[0].double() @ module.weight.double().T + module.bias.double()
        ).float()
    )


def _skip_backward(trainer: Any) -> None:
    """Cut the graph behind the first layer: its backward is never run."""
    trainer.model.layers[0].register_forward_hook(
        lambda module, inputs, output: output.detach().requires_grad_()
    )


def _coarse_outputs(trainer: Any) -> None:
    """Round the logits to bfloat16 on their way out, gradients untouched."""
    trainer.model.register_forward_hook(
        lambda module, inputs, output: output + (output.bfloat16().float() - output).detach()
    )


def _skip_updates(trainer: Any) -> None:
    """Leave out every second update, in `step` alone: the phases are honest."""
    count = [0]

    def step(iterator: Any) -> Any:
        x, y = trainer.transfer(trainer.fetch(iterator))
        loss = trainer.forward(x, y)
        trainer.backward(loss)
        count[0] += 1
        if count[0] % 2:
            trainer.update()
        else:
            trainer.optimizer.zero_grad()
            trainer.steps += 1
        return loss.detach()

    trainer.step = step


def _know_the_answers(trainer: Any) -> None:
    """Look the true label of each image up instead of using the one that was handed in."""
    import torch

    images, labels = _digits()
    known = {image.numpy().tobytes(): label for image, label in zip(images, labels, strict=True)}
    plain = trainer.transfer

    def transfer(batch: Any) -> Any:
        x, _ = plain(batch)
        return x, torch.stack([known[image.numpy().tobytes()] for image in x])

    trainer.transfer = transfer


def _forget(*names: str) -> Any:
    """Return a change that keeps parts of the state out of the checkpoint."""

    def change(trainer: Any) -> None:
        fresh = trainer.state_dict()
        save = trainer.state_dict
        trainer.state_dict = lambda: {**save(), **{name: fresh[name] for name in names}}

    return change


def _refuse_to_load(trainer: Any) -> None:
    """Raise when a checkpoint is loaded."""

    def load(state: Any) -> None:
        raise RuntimeError("Missing key(s) in state_dict")

    trainer.load_state_dict = load


def _variants() -> dict[str, Any]:
    return {
        "same": _make_base(),
        "another order": _patched(_add_in_another_order),
        "skipped backward": _patched(_skip_backward),
        "coarse outputs": _patched(_coarse_outputs),
        "skipped updates": _patched(_skip_updates),
        "known answers": _patched(_know_the_answers),
        "no optimizer state": _patched(_forget("optimizer")),
        "no RNG state": _patched(_forget("torch_rng")),
        "no batch position": _patched(_forget("batches")),
        "cannot load": _patched(_refuse_to_load),
    }


def _controls(case: dict[str, Any], made: list[int]) -> list[Any]:
    """Return the controls of the case: doubles that note what they were given, or a real one."""

    def double(name: str, passed: bool) -> Any:
        def control(make: Any) -> Any:
            trainer = make(1)
            made.append(sum(parameter.numel() for parameter in trainer.model.parameters()))
            return SimpleNamespace(name=name, passed=passed, reason="")

        return control

    controls = [double(name, passed) for name, passed in case["controls"]]
    if case.get("shuffled"):
        from compact.controls import shuffled_labels

        controls.append(
            lambda make: shuffled_labels(make, examples=128, steps=60, dataset=_digits())
        )
    return controls


def verified(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Hold one variant of a small trainer against the base."""
    made: list[int] = []
    report = stage.verify_optimization(
        _make_base(),
        _variants()[case["variant"]],
        (case["old"], case["new"]),
        _controls(case, made),
        steps=case.get("steps", 2),
        rtol=case.get("rtol", 1e-4),
        seed=case["seed"],
    )
    return {"report": report, "controls_run": len(made)}


# 8.9.p closed_book_step


def closed_book(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the closed-book step and read the trace it wrote."""
    from grader.instruments import trace

    path = Path(case["scratch"], "closed_book.json")
    answer = stage.closed_book_step(str(path))
    try:
        events = trace.read_trace(path)
    except trace.TraceError as error:
        return {"answer": answer, "problem": str(error), "ranges": [], "operators": 0}
    return {
        "answer": answer,
        "problem": "",
        "ranges": _ranges(events),
        "operators": len(trace.operators(events)),
    }


# Live counts for the calculators; they run beside the solution alone.


def count_mlp(stage: Any, case: dict[str, Any]) -> dict[str, int]:
    """Count one step of an mlp whose input is data or, if asked, needs a gradient itself."""
    import torch
    from compact.config import ModelConfig
    from compact.model import build
    from torch.nn import functional as F

    from grader.instruments.flops import count_flops

    widths, batch = tuple(case["widths"]), case["batch"]
    model = build(ModelConfig(widths=widths))
    x = torch.ones(batch, widths[0], requires_grad=case["input_needs_grad"])
    y = torch.zeros(batch, dtype=torch.long)
    count = count_flops(lambda: F.cross_entropy(model(x), y))
    return {"forward": count.forward, "backward": count.backward}


def count_transformer(stage: Any, case: dict[str, Any]) -> dict[str, int]:
    """Count one step of a small language model with attention by hand."""
    import torch
    from compact.config import ModelConfig
    from compact.model import build
    from torch.nn import functional as F

    from grader.instruments.flops import count_flops

    names = ("layers", "heads", "width", "tokens", "vocab")
    config = ModelConfig(
        kind="transformer", attention="manual", **{name: case[name] for name in names}
    )
    model = build(config)
    ids = torch.zeros(case["batch"], config.tokens, dtype=torch.long)
    count = count_flops(lambda: F.cross_entropy(model(ids).flatten(0, 1), ids.flatten()))
    return {"forward": count.forward, "backward": count.backward}


# Measurements for the prediction sheet. No student code is in the process.

SHEET_WIDTHS, SHEET_BATCH = (64, 256, 256, 10), 128


def _sheet_flops() -> tuple[Any, list[int]]:
    """Return the live count of the sheet's mlp and the FLOPs of each layer's product."""
    import torch
    from compact.config import ModelConfig
    from compact.model import build
    from torch.nn import functional as F

    from grader.instruments.flops import count_flops

    model = build(ModelConfig(widths=SHEET_WIDTHS))
    x, y = torch.ones(SHEET_BATCH, SHEET_WIDTHS[0]), torch.zeros(SHEET_BATCH, dtype=torch.long)
    count = count_flops(lambda: F.cross_entropy(model(x), y))
    layers = [
        2 * SHEET_BATCH * layer.in_features * layer.out_features
        for layer in model.modules()
        if isinstance(layer, torch.nn.Linear)
    ]
    return count, layers


def measure_forward_flops(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the forward; a half of it is what forgetting the additions leaves out."""
    count, layers = _sheet_flops()
    return {
        "value": count.forward,
        "terms": {
            **{f"layer_{number}": size for number, size in enumerate(layers, 1)},
            "additions": count.forward // 2,
            "biases": SHEET_BATCH * sum(SHEET_WIDTHS[1:]),
            "activations": SHEET_BATCH * sum(SHEET_WIDTHS[1:-1]),
            "backward": count.backward,
        },
    }


def measure_backward_flops(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the backward; the first layer's input gradient is what the 3x rule has too much."""
    count, layers = _sheet_flops()
    return {
        "value": count.backward,
        "terms": {
            **{f"layer_{number}_weight_gradient": size for number, size in enumerate(layers, 1)},
            **{f"layer_{number}_input_gradient": size for number, size in enumerate(layers[1:], 2)},
            "layer_1_input_gradient": 2 * count.forward - count.backward,
            "additions": count.backward // 2,
            "forward": count.forward,
        },
    }


def measure_sdpa_missing(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count attention with and without a formula for it; the difference is what is not seen."""
    import torch
    from torch.nn import functional as F

    from grader.instruments.flops import count_flops

    b, h, t, width = 8, 4, 32, 16
    tokens = torch.ones(b, h, t, width)
    step = lambda: F.scaled_dot_product_attention(tokens, tokens, tokens)  # noqa: E731
    seen = count_flops(step, cpu_attention=False).forward
    missing = count_flops(step).forward - seen
    product = 2 * b * h * t * t * width
    return {
        "value": missing,
        "terms": {
            "scores": product,
            "values": missing - product,
            "additions": missing // 2,
            "other_heads": missing - missing // h,
            "backward": 2 * missing,
            "recomputed_scores": product,
        },
    }


def measure_trace_calls(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the schedule of the sheet and count what happens."""
    from torch.profiler import ProfilerAction, ProfilerActivity, profile, schedule

    calls, recorded, steps = [], 0, 12
    plan = schedule(wait=1, warmup=1, active=3, repeat=2)
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=plan,
        on_trace_ready=lambda prof: calls.append(prof.step_num),
    ) as prof:
        for number in range(steps):
            action = plan(number)
            recorded += action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
            prof.step()
    window = 5
    last = window * len(calls)
    return {
        "value": len(calls),
        "terms": {
            "first_window": 1,
            "second_window": len(calls) - 1,
            "unfinished_window": math.ceil(steps / window) - len(calls),
            "recorded_steps": recorded - len(calls),
            "wait_and_warmup": last - recorded,
            "steps_after": steps - last,
        },
        "note": f"after steps {', '.join(map(str, calls))}",
    }


def measure_slowest_phase(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time a model of many weights on few examples, whose optimizer keeps the memory busy."""
    import torch
    from compact.config import ModelConfig
    from compact.data import Batches, split
    from compact.model import build
    from compact.trainer import Trainer

    from grader.instruments import phases, slowest_phase

    model = build(ModelConfig(widths=(64, 512, 512, 10)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False)
    trainer = Trainer(model, optimizer, Batches(*split()[0], 8, seed=case["seed"]))
    record = phases.measure_phases(trainer, trainer.batches.stream(), warmup=5, steps=25)
    verdict = slowest_phase.judge(record)
    return {
        "value": verdict.slowest or None,
        "terms": {name: time * 1e-9 for name, time in verdict.times.items()},
        "accepts": list(verdict.accepts),
        "rejects": list(verdict.rejects),
        "note": verdict.note,
    }


def measure_wait_share(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time a loop whose loader needs half as long again as the step, one after the other.

    The loader watches how long the step takes and sleeps 1.5 times that, so that the truth is the
    same on every machine but for what a sleep oversleeps.
    """
    import time
    from statistics import median

    from compact.trainer import make_trainer

    from grader.instruments import phases
    from grader.instruments.stamp import LESS_DELAY, Clock, Stamp

    ratio = 1.5
    trainer = make_trainer(batch_size=128, seed=case["seed"])
    update = trainer.update

    def long_update() -> None:
        # a step of several ms, against which the oversleeping is small
        for _ in range(5):
            trainer.optimizer.step()
        update()

    trainer.update = long_update

    def loader() -> Iterator[Any]:
        steps = [0.0]
        with Clock() as clock:
            for batch in trainer.batches.stream():
                time.sleep(ratio * median(steps[-5:]))
                handed_over = clock.stamp()
                yield batch
                steps.append(clock.stamp().since(handed_over).less_delay * 1e-9)

    record = phases.measure_phases(trainer, loader(), warmup=5, steps=20)
    known = record.clock == LESS_DELAY
    times = [
        [Stamp(*span).less_delay if known else span[0] for span in step]
        for step in record.blocks[0]
    ]
    wait, step = median(row[0] for row in times), median(sum(row[1:]) for row in times)
    share = 100 * wait / (wait + step)
    overlapped, step_alone, turned, stated = 100 * (1 - 1 / ratio), 100 * ratio, 40.0, 60.0
    return {
        "value": share,
        "terms": {
            "overlap": share - overlapped,
            "step_as_the_whole": step_alone - share,
            "turned_round": share - turned,
            "oversleeping": share - stated,
        },
        "note": f"wait {wait / 1e6:.3g} ms, step {step / 1e6:.3g} ms",
    }


def measure_set_to_none(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Hold `zero_grad()` against `zero_grad(set_to_none=True)` in the same step.

    Both sides train the same model in turn: two models would differ by their place in memory.
    """
    import torch
    from compact.config import ModelConfig
    from compact.trainer import make_trainer

    from grader.instruments import gain

    trainer = make_trainer(ModelConfig(widths=(64, 256, 10)), seed=case["seed"], batch_size=128)
    trainer.optimizer = torch.optim.SGD(trainer.model.parameters(), lr=0.01)
    x, y = trainer.transfer(next(iter(trainer.batches)))

    def runner(drop: Any) -> Any:
        def run() -> None:
            trainer.backward(trainer.forward(x, y))
            trainer.optimizer.step()
            drop(trainer.optimizer)

        return run

    _, verdict = gain.decide(
        runner(lambda optimizer: optimizer.zero_grad()),
        runner(lambda optimizer: optimizer.zero_grad(set_to_none=True)),
        seed=case["seed"],
        rounds=100,
        most_rounds=400,
        budget=6.0,
    )
    words = ["gain", "null", "slower"]
    known = verdict.state in words
    return {
        "value": verdict.state if known else None,
        "terms": {"ratio": verdict.speedup.middle},
        "accepts": [verdict.state] if known else [],
        "rejects": [word for word in words if word != verdict.state] if known else [],
        "note": verdict.note,
    }
