"""Measurements for the prediction sheet. No student code is in the process.

The size of a term is what must be added to the prediction of somebody who made that mistake alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

SHEET_WIDTHS, SHEET_BATCH = (64, 96, 48, 10), 128


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


def _elementwise() -> dict[str, int]:
    """Return the terms of whoever counts one operation an element of what is no product."""
    return {
        "biases": -SHEET_BATCH * sum(SHEET_WIDTHS[1:]),
        "activations": -SHEET_BATCH * sum(SHEET_WIDTHS[1:-1]),
    }


def measure_forward_flops(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the forward; a half of it is what forgetting the additions leaves out."""
    count, layers = _sheet_flops()
    return {
        "value": count.forward,
        "terms": {
            **{f"layer_{number}": size for number, size in enumerate(layers, 1)},
            "additions": count.forward // 2,
            **_elementwise(),
            "other_examples": count.forward - count.forward // SHEET_BATCH,
            "backward": -count.backward,
        },
    }


def measure_backward_flops(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the backward; the first layer's input gradient is what the 3x rule has too much.

    The two products of one layer have one size, so a layer that was forgotten is one term.
    """
    count, layers = _sheet_flops()
    return {
        "value": count.backward,
        "terms": {
            "layer_1_input_gradient": count.backward - 2 * count.forward,
            "needed_input_gradients": count.backward - count.forward,
            **{f"layer_{number}": 2 * size for number, size in enumerate(layers[1:], 2)},
            "additions": count.backward // 2,
            **_elementwise(),
            "forward": -count.forward,
        },
    }


SHEET_ATTENTION = (8, 4, 32, 16)
"""Sequences, heads, tokens and width of a head."""


def _attention_missing() -> int:
    """Count attention with and without a formula for it; the difference is what is not seen."""
    import torch
    from torch.nn import functional as F

    from grader.instruments.flops import count_flops

    tokens = torch.ones(*SHEET_ATTENTION)
    step = lambda: F.scaled_dot_product_attention(tokens, tokens, tokens)  # noqa: E731
    return count_flops(step).forward - count_flops(step, cpu_attention=False).forward


def measure_sdpa_missing(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count what is not seen. A half is lost in three ways, and no number tells them apart."""
    missing = _attention_missing()
    sequences, heads, tokens, width = SHEET_ATTENTION
    model_width = heads * width
    return {
        "value": missing,
        "terms": {
            "factor_of_two": missing - missing // 2,
            "other_heads": missing - missing // heads,
            "other_sequences": missing - missing // sequences,
            "other_tokens": missing - missing // tokens,
            "projections": -4 * 2 * sequences * tokens * model_width**2,
            "backward": -2 * missing,
        },
    }


def measure_residual(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return what the counter has less of: the fused attention, or a gradient nobody needs."""
    count, _ = _sheet_flops()
    return {
        "value": None,
        "terms": {
            "attention": _attention_missing(),
            "layer_1_input_gradient": 2 * count.forward - count.backward,
        },
    }


def measure_trace_calls(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the schedule of the sheet and count what happens; its last steps are waited out."""
    from torch.profiler import ProfilerAction, ProfilerActivity, profile, schedule

    calls, recorded, steps = [], 0, 92
    wait, warmup, active = 3, 2, 4
    plan = schedule(wait=wait, warmup=warmup, active=active)
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=plan,
        on_trace_ready=lambda prof: calls.append(prof.step_num),
    ) as prof:
        for number in range(steps):
            action = plan(number)
            recorded += action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
            prof.step()
    counted = len(calls)
    return {
        "value": counted,
        "terms": {
            "unfinished_window": counted - (1 + steps // (wait + warmup + active)),
            "warmup_outside": counted - steps // (wait + active),
            "wait_outside": counted - steps // (warmup + active),
            "only_active": counted - steps // active,
            "recorded_steps": counted - recorded,
            "every_step": counted - steps,
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
        "series": {
            "kind": "bars",
            "title": "Time of each phase of a step, with its spread",
            "unit": "s",
            "note": "median and quartiles of 25 steps, one thread, warm-up left out",
            "rows": [
                {"name": name, "low": low * 1e-9, "middle": middle * 1e-9, "high": high * 1e-9}
                for name, (low, middle, high) in slowest_phase.quartiles(record).items()
            ],
        },
    }


def measure_wait_share(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time a loop whose loader needs half as long again as the step, one after the other.

    Whoever lets the loader work beside the step, divides by the step instead of the iteration, or
    takes the step for the wait, gets another share.

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
            "share_of_the_step": share - step_alone,
            "turned_round": share - turned,
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
        "series": {
            "kind": "bars",
            "title": "Old time over new time, and the old one over itself",
            "unit": "1",
            "note": f"median of {verdict.rounds} pairs with its 99 % interval",
            "rows": [
                {"name": name, "low": found.low, "middle": found.middle, "high": found.high}
                for name, found in (("old / new", verdict.speedup), ("old / old", verdict.control))
            ],
            "reference": 1.0,
        },
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
