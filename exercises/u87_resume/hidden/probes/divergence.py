"""Pairs of runs for first_divergence: with a part left out, or hard to compare by hand."""

from __future__ import annotations

import copy
import random
from typing import Any

from .runs import Run, _disturb, _finger


def _state_of(run: Run, loss: float) -> dict[str, Any]:
    """Return the whole state of a run, as it would go into a checkpoint, and its last loss."""
    import numpy as np
    import torch

    name, keys, *rest = np.random.get_state()
    return copy.deepcopy(
        {
            "loss": loss,
            "model": run.model.state_dict(),
            "optimizer": run.optimizer.state_dict(),
            "scheduler": {"last_epoch": run.scheduler.last_epoch},
            "scaler": run.scaler.state_dict(),
            "ema": run.ema.state_dict() if run.ema is not None else None,
            "loader": {"generator": run.generator.get_state(), "position": run.position},
            "rng": {
                "torch": torch.get_rng_state(),
                "python": random.getstate(),
                "numpy": [name, keys.tolist(), *map(float, rest)],
            },
            "step": run.step,
        }
    )


def _restore(  # noqa: PLR0912 - one branch for each part that can be left out
    run: Run, saved: Run, rng: dict[str, Any], left_out: str
) -> None:
    """Put a run into the state of another, but for one part."""
    import numpy as np
    import torch

    parts = copy.deepcopy(
        {
            "parameters": dict(saved.model.named_parameters()),
            "buffers": dict(saved.model.named_buffers()),
            "optimizer": saved.optimizer.state_dict(),
            "scheduler": saved.scheduler.state_dict(),
            "scaler": saved.scaler.state_dict(),
            "ema": saved.ema.state_dict() if saved.ema is not None else {},
        }
    )
    with torch.no_grad():
        for name, value in run.model.named_parameters():
            value.copy_(parts["parameters"][name])
        if left_out != "buffers":
            for name, value in run.model.named_buffers():
                value.copy_(parts["buffers"][name])
    if left_out == "moments":
        parts["optimizer"]["state"] = {}
    run.optimizer.load_state_dict(parts["optimizer"])
    if left_out != "scheduler":
        run.scheduler.load_state_dict(parts["scheduler"])
    if left_out == "growth counter":
        parts["scaler"]["_growth_tracker"] = 0
    if left_out != "scaler":
        run.scaler.load_state_dict(parts["scaler"])
    if left_out != "ema" and run.ema is not None:
        run.ema.load_state_dict(parts["ema"])
    if left_out != "loader":
        run.generator.set_state(saved.generator.get_state())
        run.before_epoch, run.position = saved.before_epoch.clone(), saved.position
        run.order = None if saved.order is None else saved.order.clone()
        run.epoch = saved.epoch
    if left_out != "step":
        run.step = saved.step
    if left_out != "torch":
        torch.set_rng_state(rng["torch"])
    if left_out != "python":
        random.setstate(rng["python"])
    if left_out != "numpy":
        np.random.set_state(rng["numpy"])


PARTS = (
    "", "buffers", "moments", "scheduler", "growth counter", "scaler", "ema", "loader", "step",
    "torch", "python", "numpy",
)  # fmt: skip


def missing_parts(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Resume a run with each part left out; compare with the unbroken one, by the stage.

    Returns:
        For each part the stage's answer, and for each step of both runs a text for each part of
        their states.
    """
    import numpy as np
    import torch

    _disturb(case["seed"])
    run = Run("full", case["seed"])
    for _ in range(case["before"]):
        run.train_step()
    saved = copy.deepcopy(run)
    rng = {
        "torch": torch.get_rng_state(), "python": random.getstate(),
        "numpy": np.random.get_state(),
    }  # fmt: skip
    whole = [_state_of(run, run.train_step()) for _ in range(case["after"])]
    seen = []
    for part in PARTS:
        _disturb(case["seed"] + 1)
        other = Run("full", case["seed"] + 1)
        _restore(other, saved, rng, part)
        resumed = [_state_of(other, other.train_step()) for _ in range(case["after"])]
        fingers = [
            [{name: _finger(value) for name, value in state.items()} for state in run_]
            for run_ in (whole, resumed)
        ]
        answer = stage.first_divergence(whole, resumed, case.get("tolerance", 0.0))
        differs = [
            sorted(name for name in a if a[name] != b[name]) for a, b in zip(*fingers, strict=True)
        ]
        seen.append({"part": part, "answer": answer, "differs": differs})
    return seen


def _pairs() -> dict[str, tuple[Any, Any]]:
    """Return pairs of values by name."""
    import torch

    nan, inf = float("nan"), float("inf")
    t = torch.tensor
    shared = torch.arange(6.0).reshape(2, 3)
    return {
        "the same": (shared, shared.clone()),
        "a transposed view": (shared.T.contiguous().T, shared),
        "NaN at one place in both": (t([1.0, nan]), t([1.0, nan])),
        "NaN in one": (t([1.0, nan]), t([1.0, 2.0])),
        "NaN in the other": (t([1.0, 2.0]), t([1.0, nan])),
        "a NaN float in both": (nan, nan),
        "a NaN float in one": (1.0, nan),
        "an infinite float in both": (-inf, -inf),
        "an infinite float in one": (1.0, inf),
        "infinite floats of another sign": (inf, -inf),
        "NaN at other places": (t([1.0, nan]), t([nan, 1.0])),
        "a tensor and a float": (t(2.0, dtype=torch.float64), 2.0),
        "a number and a text as key": ({0: 1.0}, {"0": 1.0}),
        "a list and a dict": ([1.0], {0: 1.0}),
        "a key and a path to it": ({"a/b": 1.0, "a.b": 1.0}, {"a": {"b": 1.0}}),
        "an empty dict and none": ({"a": {}}, {}),
        "an empty dict and a list": ({}, []),
        "floats that are zero": (0.0, -0.0),
        "one bit of a double": (t([1.0]).double(), 1.0 + t([2.0**-52]).double()),
        "one bit of a float": (1.0, 1.0 + 2**-52),
        "far apart in half precision": (t([6e4, 1.0]).half(), t([-6e4, 1.0]).half()),
        "inf in both": (t([1.0, inf]), t([1.0, inf])),
        "inf of another sign": (t([1.0, inf]), t([1.0, -inf])),
        "inf in one": (t([1.0, 3.0]), t([1.0, inf])),
        "shapes that broadcast": (torch.ones(3, 1), torch.ones(3)),
        "one entry against none": (torch.ones(1), torch.ones(())),
        "no entries": (torch.zeros(0, 3), torch.zeros(0, 3)),
        "no entries of other shapes": (torch.zeros(0, 3), torch.zeros(0, 2)),
        "another dtype": (torch.ones(2), torch.ones(2, dtype=torch.float64)),
        "half precision": (torch.ones(2, dtype=torch.bfloat16), torch.ones(2, dtype=torch.float16)),
        "bytes off by one": (t([7, 8], dtype=torch.uint8), t([7, 9], dtype=torch.uint8)),
        "large integers": (t([2**53]), t([2**53 + 1])),
        "large numbers": (2**53, 2**53 + 1),
        "an int and a float": (1, 1.0),
        "an int and a bool": (1, True),
        "text": ("a", "b"),
        "None and zero": (None, 0.0),
        "a list and a tuple": ([1, t([2.0])], (1, t([2.0]))),
        "a longer list": ([1, 2], [1, 2, 3]),
        "an empty list": ([], [1]),
        "a key more": ({"a": 1}, {"a": 1, "b": 2}),
        "another key": ({"a": 1}, {"b": 1}),
        "a key more beside a float": ({"a": 4.0}, {"a": 3.0, "b": 2}),
        "a list that is longer behind a tensor": ([t([4.0])], [t([5.0]), 7]),
        "an integer beside a float": ({"n": 1, "x": 2.0}, {"n": 2, "x": 1.0}),
        "integers as keys": ({0: t([1.0])}, {0: t([2.0])}),
        "keys in another order": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        "deep inside": ({"a": [{"b": (t([1.0]),)}]}, {"a": [{"b": (t([2.0]),)}]}),
        "zeros of both signs": (t([0.0]), t([-0.0])),
        "a parameter": (torch.nn.Parameter(t([1.0])), t([1.0])),
        "one bit": (t([1.0]), torch.nextafter(t([1.0]), t([2.0]))),
        "a small entry": (t([1000.0, 1.0]), t([1000.0, 1.5])),
        "a float": (2.0, 2.001),
        "a negative": (t([-4.0, 1.0]), t([-4.25, 1.0])),
        "the larger scale": (t([1.0]), t([2.0])),
    }


def diverging(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Compare pairs, each as a part of the second of two states, under a tolerance or its own.

    ``lists`` are pairs of lists of numbers: runs whose states hold one number.
    """
    seen = {}
    for name, (a, b) in _pairs().items():
        if name not in case["pairs"]:
            continue
        first = {"other": 1.0, "part": 5}
        try:
            seen[name] = stage.first_divergence(
                [first, {"other": 1.0, "part": a}],
                [copy.deepcopy(first), {"other": 1.0, "part": b}],
                case["tolerances"][name] if "tolerances" in case else case["tolerance"],
            )
        except NotImplementedError:
            raise
        except Exception as error:
            seen[name] = f"{type(error).__name__}: {error}"
    for a, b in case.get("lists", []):
        runs = [[{"n": n} for n in numbers] for numbers in (a, b)]
        seen[f"{a} {b}"] = stage.first_divergence(*runs, case["tolerance"])
    return seen


def several_parts(stage: Any, case: dict[str, Any]) -> Any:
    """Compare two states that differ in several parts, some of which lack a key."""
    import torch

    a = {"b": torch.tensor([1.0]), "a": torch.tensor([8.0, 1.0]), "same": 3, "gone": 1, "n": 4}
    b = {"b": torch.tensor([1.25]), "a": torch.tensor([8.0, 2.0]), "same": 3, "came": 1, "n": 5}
    return stage.first_divergence([a], [b], case["tolerance"])
