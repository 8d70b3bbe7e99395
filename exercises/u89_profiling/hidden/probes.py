"""Probes of unit 8.9: they run beside the student's code and return plain data, no truth.

torch is imported inside functions: the NumPy stage's workers read this file too.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import weakref
from collections.abc import Iterator
from enum import Enum
from functools import cache
from numbers import Integral, Rational
from pathlib import Path
from types import SimpleNamespace
from typing import Any

INSTRUMENTS = ("trace",)

# the profiler of torch 2.13 otherwise writes a line on stderr at each start and stop
os.environ.setdefault("KINETO_LOG_LEVEL", "99")

PHASES = ("data_wait", "transfer", "forward", "backward", "optimizer")


# Any function of the NumPy stage


def calls(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Call one function many times; say what each call gave, and what it did besides.

    A stub's error is let through, so that a task that is not attempted stays so.
    """
    import numpy as np

    function, answers = getattr(stage, case["function"]), []
    for arguments, named in case["calls"]:
        before, state = repr((arguments, named)), np.random.get_state()
        answer: dict[str, Any] = {}
        try:
            answer["value"] = _rebuilt(function(*arguments, **named))
        except NotImplementedError:
            raise
        except Exception as error:  # which one is judged by the driver
            answer["raised"] = [kind.__name__ for kind in type(error).__mro__]
            answer["message"] = str(error)
        answer["kept"] = repr((arguments, named)) == before
        now = np.random.get_state()
        answer["quiet"] = bool(now[2] == state[2] and np.array_equal(now[1], state[1]))
        answers.append(answer)
    return answers


def _rebuilt(value: Any) -> Any:
    """Return a copy that no later call can change; an exact fraction becomes a float."""
    if isinstance(value, dict):
        return {key: _rebuilt(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rebuilt(item) for item in value]
    if isinstance(value, Rational) and not isinstance(value, Integral):
        return float(value)
    return str(value) if isinstance(value, Enum) and isinstance(value, str) else value


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


def _spending(clock: Any, costs: list[dict[str, float]], calls: list[str], tools: set[str]) -> Any:
    """Return a function that does the work of a phase: passes its time and leaves a mark."""

    def work(phase: str) -> None:
        import torch

        done = calls.count("optimizer")
        calls.append(phase)
        with torch.profiler.record_function(f"work:{phase}"):
            clock.pass_time(costs[min(done, len(costs) - 1)][phase])
        if torch.is_anomaly_enabled():
            tools.add("anomaly detection")
        if torch.autograd.profiler._is_profiler_enabled:
            tools.add("profiler")

    return work


class TrainerDouble:
    """A trainer whose phases take the time they are told to and leave a mark in the trace."""

    def __init__(self, clock: Any, costs: list[dict[str, float]]) -> None:
        import torch

        self.calls: list[str] = []
        self.tools: set[str] = set()
        self.fetched = 0
        self.device = torch.device("cpu")
        self.model = torch.nn.Linear(3, 1, bias=False)
        torch.nn.init.ones_(self.model.weight)
        self.batches = None
        self._work = _spending(clock, costs, self.calls, self.tools)

    def fetch(self, iterator: Iterator[Any]) -> Any:
        """Return the next batch."""
        batch = next(iterator)
        self.fetched += 1
        return batch

    def transfer(self, batch: Any) -> tuple[Any, Any]:
        """Return the batch twice."""
        self._work("transfer")
        return batch, batch

    def forward(self, x: Any, y: Any) -> Any:
        """Return a loss with a graph."""
        self._work("forward")
        return (self.model.weight * x).sum()

    def backward(self, loss: Any) -> None:
        """Run the backward."""
        self._work("backward")
        loss.backward()

    def update(self) -> None:
        """Drop the gradient."""
        self._work("optimizer")
        self.model.weight.grad = None


class LoaderDouble:
    """A loader of a few batches, each of which takes its time, and so does starting a pass.

    It counts passes and batches, and knows which of its batches are still in memory.
    """

    def __init__(self, clock: HandClock, waits: list[float], start: float = 0.0) -> None:
        self.passes = self.handed = 0
        self._batches: list[weakref.ref[Any]] = []
        self._begin = lambda: self._deliver(clock, waits, start)

    def __iter__(self) -> Iterator[Any]:
        return self._begin()

    def kept(self) -> int:
        """Return how many of the batches are still in memory."""
        return sum(batch() is not None for batch in self._batches)

    def _deliver(self, clock: HandClock, waits: list[float], start: float) -> Iterator[Any]:
        import torch

        self.passes += 1
        with torch.profiler.record_function("work:load"):
            clock.pass_time(start)

        def batches() -> Iterator[Any]:
            for wait in waits:
                with torch.profiler.record_function("work:load"):
                    clock.pass_time(wait)
                batch = [torch.full((3,), 2.0)]
                self.handed += 1
                self._batches.append(weakref.ref(batch[0]))
                yield batch.pop()

        return batches()


class DoublingClock:
    """A clock that stands at 2, 4, 8, ...: each span tells between which two readings it lies."""

    def __init__(self) -> None:
        self.now = 1.0

    def __call__(self) -> float:
        """Return the time, twice the time before."""
        self.now *= 2
        return self.now

    def pass_time(self, seconds: float) -> None:
        """Take no notice."""


# Settings of the process, which a function may change for itself and has to put back.


def _settings() -> dict[str, str]:
    """Return the settings of this process that change what other code computes, or how fast."""
    import torch

    return {
        "anomaly detection": str(torch.is_anomaly_enabled()),
        "autocast": str(torch.is_autocast_enabled("cpu")),
        "default device": str(torch.get_default_device()),
        "default dtype": str(torch.get_default_dtype()),
        "deterministic algorithms": str(torch.are_deterministic_algorithms_enabled()),
        "gradients": str(torch.is_grad_enabled()),
        "inference mode": str(torch.is_inference_mode_enabled()),
        "matmul precision": torch.get_float32_matmul_precision(),
        "profiler": str(torch.autograd.profiler._is_profiler_enabled),
        "threads": str(torch.get_num_threads()),
    }


def watched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run another probe; return its answer and the settings that are not what they were."""
    before = _settings()
    value = globals()[case["probe"]](stage, case)
    after = _settings()
    changed = [name for name, setting in before.items() if after[name] != setting]
    return {"value": value, "changed": changed}


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
        trainer = TrainerDouble(clock, case["costs"])
        batch = torch.full((3,), 2.0)
        if way == "bare":
            # the second step must leave alone what the first returned
            steps = [stage.annotated_step(trainer, batch, clock) for _ in case["costs"]]
        else:
            activities = [torch.profiler.ProfilerActivity.CPU]
            with torch.profiler.profile(activities=activities) as prof:
                steps = [stage.annotated_step(trainer, batch, clock)]
            path = Path(case["scratch"], "annotated.json")
            prof.export_chrome_trace(str(path))
            events = trace.read_trace(path)
            seen["ranges"] = _ranges(events)
            seen["operators"] = sorted({event.name for event in trace.operators(events)})
        seen[way] = {
            "seconds": [seconds for _, seconds in steps],
            "losses": [
                loss.detach() if isinstance(loss, torch.Tensor) else loss for loss, _ in steps
            ],
            "tensors": all(isinstance(loss, torch.Tensor) for loss, _ in steps),
            "graph": any(
                isinstance(loss, torch.Tensor) and loss.requires_grad for loss, _ in steps
            ),
            "calls": trainer.calls,
            "tools": sorted(trainer.tools),
        }
    return seen


def read_clock(stage: Any, case: dict[str, Any]) -> Any:
    """Run one annotated step by a clock that doubles at each reading; return its seconds."""
    import torch

    clock = DoublingClock()
    trainer = TrainerDouble(clock, [dict.fromkeys(PHASES, 0.0)])
    return stage.annotated_step(trainer, torch.full((3,), 2.0), clock)[1]


# 8.9.k profile_steps


@contextlib.contextmanager
def _slack(stage: Any, slack: list[float]) -> Iterator[None]:
    """Let each annotated step take longer than its phases, by what is in `slack` [s]."""
    if not slack:
        yield
        return
    plain, left = stage.annotated_step, iter(slack)

    def slow(*arguments: Any, **options: Any) -> Any:
        loss, seconds = plain(*arguments, **options)
        return loss, {**seconds, "train_step": seconds["train_step"] + next(left)}

    stage.annotated_step = slow
    try:
        yield
    finally:
        stage.annotated_step = plain


def profiled(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Profile a loop of doubles; return the table and what is in the traces."""
    from grader.instruments import trace

    clock = HandClock()
    trainer = TrainerDouble(clock, case["costs"])
    loader = LoaderDouble(clock, case["waits"], case.get("start", 0.0))
    folder = Path(case["scratch"], case["folder"]) if case["folder"] else None
    if folder is not None and case.get("exists"):
        folder.mkdir()
    plan = dict(case["plan"])
    with _slack(stage, case.get("slack", [])):
        table = stage.profile_steps(
            trainer, loader, plan, None if folder is None else str(folder), clock
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
                    for flag in ("with_stack", "record_shapes", "profile_memory", "with_modules")
                    if document.get(flag)
                ],
            }
        )
    return {
        "table": table,
        "traces": traces,
        "iterations": trainer.calls.count("optimizer"),
        "fetched": trainer.fetched,
        "handed": loader.handed,
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
        record_shapes=case["shapes"],
        profile_memory=case["memory"],
    ) as prof:
        for _ in range(case["narrow_calls"]):
            left @ right
        for _ in range(case["wide_calls"]):
            left @ other
        with torch.profiler.record_function(case["range"]):
            torch.conv2d(image, kernel)
    raw: dict[str, dict[str, Any]] = {}
    for event in prof.events():
        key = repr([event.name, event.input_shapes if case["by_shape"] else None])
        row = raw.setdefault(
            key, {"name": event.name, "shapes": event.input_shapes, "count": 0, "self_us": 0.0,
                  "total_us": 0.0, "self_bytes": 0, "total_bytes": 0}
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

    modes = []

    def step() -> Any:
        modes.append(torch.is_grad_enabled())
        loss = forward()
        if case["backward"]:
            loss.backward()
        return loss

    hand = dict(case["hand"])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        report = stage.reconcile_flops(step, hand)
    print(printed.getvalue(), end="")
    return {"report": report, "hand": hand, "gradients": modes, "printed": printed.getvalue()}


# 8.9.n loader_supply


def supplied(stage: Any, case: dict[str, Any]) -> Any:
    """Measure the supply of a loader on a clock that only the loader moves."""
    clock = HandClock()
    loader = LoaderDouble(clock, case["waits"], case.get("start", 0.0))
    supply = stage.loader_supply(loader, case["batches"], case["step_time"], clock)
    return {
        "supply": supply,
        "passes": loader.passes,
        "handed": loader.handed,
        "kept": loader.kept(),
    }


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


def _skip_late_updates(after: int) -> Any:
    """Return a change that leaves out all updates of `step` after the first few."""

    def change(trainer: Any) -> None:
        plain = trainer.update

        def update() -> None:
            if trainer.steps < after:
                plain()
            else:
                trainer.optimizer.zero_grad()
                trainer.steps += 1

        trainer.update = update

    return change


def _add_to_the_loss(trainer: Any) -> None:
    """Add a constant to the loss: the gradients are the same."""
    plain = trainer.forward
    trainer.forward = lambda x, y: plain(x, y) + 1.0


def _shift_in_training(trainer: Any) -> None:
    """Add 1 to all logits in training mode, which the cross entropy does not see."""
    trainer.model.register_forward_hook(
        lambda module, inputs, output: output + 1.0 if module.training else None
    )


def _add_an_axis(trainer: Any) -> None:
    """Return the logits with an axis of length 1 in front."""
    trainer.model.register_forward_hook(lambda module, inputs, output: output.unsqueeze(0))


def _break_a_bias(trainer: Any) -> None:
    """Make one bias NaN."""
    import torch

    with torch.no_grad():
        trainer.model.layers[-1].bias[0] = math.nan


def _scale_a_gradient(trainer: Any) -> None:
    """Make the gradient of one weight matrix a thousandth too large."""
    trainer.model.layers[0].weight.register_hook(lambda gradient: gradient * 1.001)


def _change_one_gradient(trainer: Any) -> None:
    """Change one entry of a gradient by a hundredth of the largest."""

    def change(gradient: Any) -> Any:
        changed = gradient.clone()
        changed[0, 0] += 0.01 * gradient.abs().max()
        return changed

    trainer.model.layers[0].weight.register_hook(change)


def _use_sgd(trainer: Any) -> None:
    """Train by plain gradient descent, which does not blow small differences up."""
    import torch

    trainer.optimizer = torch.optim.SGD(trainer.model.parameters(), lr=1e-3)


def _use_sgd_with_noise(trainer: Any) -> None:
    """Use SGD, and put all logits off by a share of the largest."""
    import torch

    def noisy(module: Any, inputs: Any, output: Any) -> Any:
        signs = torch.ones(output.shape[-1])
        signs[::2] = -1
        return output + 3e-5 * output.detach().abs().max() * signs

    _use_sgd(trainer)
    trainer.model.register_forward_hook(noisy)


def _rename(name: str) -> Any:
    """Return a change that wraps the model in a module, where it has this name."""

    def change(trainer: Any) -> None:
        from torch import nn

        class Wrapped(nn.Module):
            def __init__(self, inner: Any) -> None:
                super().__init__()
                self.add_module(name, inner)

            def forward(self, x: Any) -> Any:
                return getattr(self, name)(x)

        trainer.model = Wrapped(trainer.model)

    return change


def _leave_a_buffer_behind(trainer: Any) -> None:
    """Count the forwards in a buffer that loading sets back to zero."""
    import torch

    load = trainer.load_state_dict
    trainer.model.register_buffer("forwards", torch.zeros(()))

    def count(module: Any, inputs: Any, output: Any) -> None:
        module.forwards += 1

    def forgetful(state: Any) -> None:
        load(state)
        trainer.model.forwards.zero_()

    trainer.model.register_forward_hook(count)
    trainer.load_state_dict = forgetful


def _count_outside_the_state(trainer: Any) -> None:
    """Return a loss that depends, in its last bits, on a count that no checkpoint has."""
    plain, count = trainer.step, [0]

    def step(iterator: Any) -> Any:
        loss = plain(iterator)
        count[0] += 1
        return loss * (1 + 1e-6 * count[0])

    trainer.step = step


def _keep_the_rng(trainer: Any) -> None:
    """Leave the global RNG alone when a checkpoint is loaded."""
    import torch

    load = trainer.load_state_dict

    def load_the_rest(state: Any) -> None:
        now = torch.get_rng_state()
        load(state)
        torch.set_rng_state(now)

    trainer.load_state_dict = load_the_rest


def _quietly(make: Any) -> Any:
    """Return a maker that leaves the global RNG as it was."""
    import torch

    def quiet(seed: int) -> Any:
        with torch.random.fork_rng(devices=[]):
            return make(seed)

    return quiet


def _forget(*names: str) -> Any:
    """Return a change that keeps parts of the state out of the checkpoint."""

    def change(trainer: Any) -> None:
        fresh = trainer.state_dict()
        save = trainer.state_dict
        trainer.state_dict = lambda: {**save(), **{name: fresh[name] for name in names}}

    return change


def _refuse_to_load(error: type[Exception]) -> Any:
    """Return a change that raises when a checkpoint is loaded."""

    def load(state: Any) -> None:
        raise error("Missing key(s) in state_dict")

    def change(trainer: Any) -> None:
        trainer.load_state_dict = load

    return change


def _variants(late: int) -> dict[str, Any]:
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
        "RNG kept in the process": _quietly(_patched(_keep_the_rng)),
        "a buffer left behind": _patched(_leave_a_buffer_behind),
        "a count outside the state": _patched(_count_outside_the_state),
        "cannot load": _patched(_refuse_to_load(RuntimeError)),
        "cannot find": _patched(_refuse_to_load(KeyError)),
        "skipped late updates": _patched(_skip_late_updates(late)),
        "another loss": _patched(_add_to_the_loss),
        "shifted in training": _patched(_shift_in_training),
        "another axis": _patched(_add_an_axis),
        "NaN": _patched(_break_a_bias),
        "scaled gradient": _patched(_scale_a_gradient),
        "one gradient": _patched(_change_one_gradient),
        "descent": _patched(_use_sgd),
        "descent with noise": _patched(_use_sgd_with_noise),
        "compiled": _patched(_rename("_orig_mod")),
        "renamed": _patched(_rename("inner")),
        "no seeding": _quietly(_make_base()),
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
    seeds: dict[str, list[int]] = {"base": [], "new": []}
    variants = _variants(case.get("late", 0))

    def noted(side: str, make: Any) -> Any:
        def making(seed: int) -> Any:
            seeds[side].append(int(seed))
            return make(seed)

        return making

    report = stage.verify_optimization(
        noted("base", variants[case.get("base", "same")]),
        noted("new", variants[case["variant"]]),
        (list(case["old"]), list(case["new"])),
        _controls(case, made),
        steps=case.get("steps", 2),
        rtol=case.get("rtol", 1e-4),
        seed=case["seed"],
    )
    return {"report": report, "controls_run": len(made), "seeds": seeds}


# 8.9.p closed_book_step


def closed_book(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the closed-book step and read the trace it wrote."""
    from torch.optim.optimizer import register_optimizer_step_post_hook

    from grader.instruments import trace

    path = Path(case["scratch"], "closed_book.json")
    updates: list[int] = []
    hook = register_optimizer_step_post_hook(lambda *step: updates.append(1))
    answer = stage.closed_book_step(str(path))
    hook.remove()
    named = answer.get("trace") if isinstance(answer, dict) else None
    seen = {
        "answer": answer,
        "updates": len(updates),
        "path": os.path.realpath(path),
        "named": os.path.realpath(named) if isinstance(named, str) else "",
    }
    try:
        events = trace.read_trace(path)
    except trace.TraceError as error:
        return {**seen, "problem": str(error), "ranges": [], "operators": []}
    operators = [[event.name, event.start, event.end] for event in trace.operators(events)]
    return {**seen, "problem": "", "ranges": _ranges(events), "operators": operators}


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
    # What was asked of the loader is known: sleeps that missed it by far say nothing of the loop.
    disturbed = abs(share - stated) > 6
    return {
        "value": None if disturbed else share,
        "terms": {
            "overlap": share - overlapped,
            "step_as_the_whole": step_alone - share,
            "turned_round": share - turned,
            "oversleeping": share - stated,
        },
        "note": f"wait {wait / 1e6:.3g} ms, step {step / 1e6:.3g} ms"
        + (", too disturbed to say" if disturbed else ""),
    }


def measure_set_to_none(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Hold `zero_grad()` against `zero_grad(set_to_none=True)` in the same step.

    Both sides train the same model in turn: two models would differ by their place in memory. Two
    steps that run the same operators on the same shapes are the same work, whatever a clock on a
    busy machine says; times decide only where they differ.
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

    old = runner(lambda optimizer: optimizer.zero_grad())
    new = runner(lambda optimizer: optimizer.zero_grad(set_to_none=True))
    before, after = _operators_run(old), _operators_run(new)
    same = before == after
    _, verdict = gain.decide(
        old, new, seed=case["seed"], rounds=100, most_rounds=100 if same else 400, budget=6.0
    )
    words = ["gain", "null", "slower"]
    state = "null" if same else verdict.state
    known = state in words
    work = f"both run the same {len(before)} operators; " if same else ""
    return {
        "value": state if known else None,
        "terms": {"ratio": verdict.speedup.middle, "operators": len(before)},
        "accepts": [state] if known else [],
        "rejects": [word for word in words if word != state] if known else [],
        "note": f"{work}old over new {verdict.speedup.middle:.3f}",
    }


def _operators_run(run: Any) -> list[tuple[str, list[Any]]]:
    """Return name and shapes of each operator of the second of two runs."""
    from torch import Tensor
    from torch.utils._python_dispatch import TorchDispatchMode

    seen: list[tuple[str, list[Any]]] = []

    class Record(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            shapes = [list(item.shape) for item in args if isinstance(item, Tensor)]
            seen.append((str(func), shapes))
            return func(*args, **(kwargs or {}))

    run()
    with Record():
        run()
    return seen
