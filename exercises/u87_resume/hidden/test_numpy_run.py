"""Hidden checks of rest_of_epoch and train: the same steps as torch, and no break to be seen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from grader.checks import check
from grader.checks.many import answers_of, refusals

from .bits import bits_of


def _state_after(seed: int, drawn: int) -> dict[str, Any]:
    """Return the state of a generator that has been used before; half a word may wait in it."""
    generator = np.random.default_rng(seed)
    generator.random(drawn)
    generator.integers(9, size=1 + drawn, dtype=np.uint32)
    return dict(generator.bit_generator.state)


def _lists(batches: Any, expect: Any, words: str) -> list[list[int]]:
    """Return batches as lists of integers."""
    expect.that(isinstance(batches, list), f"{words}: `batches` is not a list of arrays.")
    found = []
    for batch in batches:
        array = np.asarray(batch)
        whole = array.ndim == 1 and (array.dtype.kind in "iu" or array.size == 0)
        expect.that(whole, f"{words}: a batch is not an array of integers.")
        found.append(array.tolist())
    return found


@check("8.7.a", row="resume")
def test_rest_of_epoch_is_the_rest(student, draw, expect):
    """From the state before the epoch come the batches that are left, and the state after."""
    cases = [(0, 3, 0), (1, 1, 0), (1, 4, 1), (7, 7, 1)]
    for _ in range(6):
        n, size = draw.integer(2, 40), draw.integer(1, 9)
        cases.append((n, size, draw.integer(0, math.ceil(n / size))))
    n, size = 4 * draw.integer(2, 5), 4
    cases += [(n, size, n // size), (n, size, n // size - 1), (n + 1, size, n // size)]
    calls = [
        ((_state_after(draw.seed + i, i % 3), n, size, position), {})
        for i, (n, size, position) in enumerate(cases)
    ]
    answers = answers_of(student, expect, "rest_of_epoch", calls)
    for (arguments, _), answer in zip(calls, answers, strict=True):
        before, n, size, position = arguments
        words = f"rest_of_epoch(state, n={n}, batch_size={size}, position={position})"
        expect.that("value" in answer, f"{words} raised {answer.get('message')}.")
        got = answer["value"]
        expect.keys(got, ["batches", "after"], what=words)
        generator = np.random.default_rng()
        generator.bit_generator.state = before
        order = generator.permutation(n).tolist()
        batches = [order[i * size : (i + 1) * size] for i in range(math.ceil(n / size))]
        left = _lists(got["batches"], expect, words)
        expect.equal(left, batches[position:], what=f"the batches of {words}")
        after = dict(generator.bit_generator.state)
        expect.equal(got["after"], after, what=f"the state after {words}")
        quiet = answer.get("quiet") is True
        expect.that(quiet, f"{words} used NumPy's global generator.")


@check("8.7.a", row="resume")
def test_a_position_that_cannot_be_is_refused(student, draw, expect):
    """Sizes below their range and a position behind the epoch are refused."""
    state, n = _state_after(draw.seed, 2), draw.integer(5, 30)
    count = math.ceil(n / 4)
    refusals(
        student, expect, "rest_of_epoch",
        [
            ("for a position behind the last batch", (state, n, 4, count + 1), {}),
            ("for a negative position", (state, n, 4, -1), {}),
            ("for a negative number of examples", (state, -n, 4, 0), {}),
            ("for batches of 0 examples", (state, n, 0, 0), {}),
            ("for batches of -4 examples", (state, n, -4, 0), {}),
            ("for position 1 of an epoch without examples", (state, 0, 4, 1), {}),
            ("for position -1 of an epoch without examples", (state, 0, 4, -1), {}),
            ("for batches of 0 examples where there are none", (state, 0, 0, 0), {}),
        ],
    )  # fmt: skip


def _case(draw: Any, drop: float, whole: bool = False) -> dict[str, Any]:
    """Return data and settings; the last batch of an epoch is shorter unless all are `whole`."""
    size, d = draw.integer(3, 5), draw.integer(2, 5)
    n = size * draw.integer(3, 4) + (0 if whole else draw.integer(1, size - 1))
    return {
        "x": draw.normal((n, d), np.float64),
        "y": draw.normal((n,), np.float64),
        "settings": {
            "batch_size": size, "lr": draw.uniform(0.01, 0.04),
            "momentum": draw.uniform(0.8, 0.95), "decay": draw.uniform(0.7, 0.9), "drop": drop,
            "seed": draw.integer(0, 10**6),
        },
    }  # fmt: skip


def _looks_right(expect: Any, got: Any, steps: int) -> tuple[np.ndarray, dict[str, Any]]:
    """Return losses and state after a look at their shape."""
    expect.keys(got, ["losses", "state"], what="the result of train")
    try:
        losses = np.asarray(got["losses"], dtype=np.float64)
    except (TypeError, ValueError):
        losses = np.empty((0, 0))
    expect.that(losses.shape == (steps,), f"`losses` does not hold {steps} numbers.")
    expect.that(isinstance(got["state"], dict), "`state` is not a dict.")
    odd = _odd(got["state"])
    expect.that(not odd, f"`state` holds {odd}, which pack_state does not accept.")
    return losses, got["state"]


def _odd(value: Any) -> str:
    """Return what there is in a state that does not belong there; nothing if all does."""
    if isinstance(value, dict):
        keys = [key for key in value if not isinstance(key, str)]
        return f"the key {keys[0]!r}" if keys else next(filter(None, map(_odd, value.values())), "")
    if isinstance(value, list):
        return next(filter(None, map(_odd, value)), "")
    return "bytes" if isinstance(value, bytes) else ""


@check("8.7.b", row="resume")
def test_steps_are_those_of_torch(student, reference, draw, expect):
    """Without masks, the losses are those of torch.optim.SGD with momentum on the same batches."""
    case = _case(draw, 0.0)
    steps = draw.integer(14, 20)
    true = reference.run("torch_momentum", {**case, "steps": steps}, stage="torch")
    got = student.numpy.train(case["x"], case["y"], case["settings"], steps)
    losses, _ = _looks_right(expect, got, steps)
    # float64: 20 steps of a contraction, each within some 50 roundings
    want = np.asarray(true["losses"])
    expect.close(losses, want, rtol=1e-9, atol=1e-12, what="the losses of train, with drop=0,")


def _as_said(x: np.ndarray, y: np.ndarray, settings: dict[str, Any], steps: int) -> np.ndarray:
    """Return the losses that the docstring says, in float64."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    generator = np.random.default_rng(settings["seed"])
    w = v = np.zeros(x.shape[1])
    want: list[float] = []
    epoch = 0
    while len(want) < steps:
        order = generator.permutation(len(x))
        for start in range(0, len(x), settings["batch_size"]):
            chosen = order[start : start + settings["batch_size"]]
            keep = generator.random((len(chosen), x.shape[1])) >= settings["drop"]
            inputs = np.where(keep, x[chosen] / (1 - settings["drop"]), 0.0)
            error = np.einsum("bd,d->b", inputs, w) - y[chosen]
            want.append(float(error @ error) / len(chosen))
            v = settings["momentum"] * v + 2 * np.einsum("bd,b->d", inputs, error) / len(chosen)
            w = w - settings["lr"] * settings["decay"] ** epoch * v
        epoch += 1
    return np.array(want[:steps])


@check("8.7.b", row="resume")
def test_masks_are_drawn_as_said(student, draw, expect):
    """With masks, the losses are those of the steps in the docstring, in float64."""
    drop, short = draw.uniform(0.2, 0.5), draw.integer(14, 20)
    whole, rest = _case(draw, drop, whole=True), _case(draw, drop)
    small = {**rest, **{name: rest[name].astype(np.float32) for name in ("x", "y")}}
    large = {**rest, "settings": {**rest["settings"], "batch_size": len(rest["x"]) + 2}}
    cases = [
        (whole, "with masks"), (rest, "with masks and a shorter last batch"),
        (small, "with masks and float32 data"), (large, "with masks and one batch an epoch"),
    ]  # fmt: skip
    calls = [((case["x"], case["y"], case["settings"], short), {}) for case, _ in cases]
    answers = answers_of(student, expect, "train", calls)
    for (arguments, _), answer, (_, words) in zip(calls, answers, cases, strict=True):
        expect.that("value" in answer, f"train raised {answer.get('message')}.")
        losses, _ = _looks_right(expect, answer["value"], short)
        want = _as_said(*arguments)
        expect.close(losses, want, rtol=1e-9, atol=1e-12, what=f"the losses of train, {words},")


@check("8.7.b", row="resume")
def test_breaks_leave_no_trace(student, draw, expect):
    """A run in pieces, each in a new process, has the losses and the state of a whole one."""
    case = _case(draw, draw.uniform(0.2, 0.5))
    settings, x, y = case["settings"], case["x"], case["y"]
    count = math.ceil(len(x) / settings["batch_size"])
    # two breaks in one epoch, one at its end, one right after the next began, one without a step
    pieces = [count + 1, 1, count - 2, 1, 0, 2, draw.integer(1, 3)]
    total = sum(pieces)
    whole = student.numpy.train(x, y, settings, total)
    wanted, end = _looks_right(expect, whole, total)
    state, losses = None, []
    for steps in pieces:
        made = len(losses)
        # the seed is for a fresh run: what goes on from a state does not look at it
        seed = settings["seed"] + made
        piece = student.fresh().numpy.train(x, y, {**settings, "seed": seed}, steps, state)
        found, state = _looks_right(expect, piece, steps)
        losses += found.tolist()
        epoch, position = divmod(made, count)
        where = f"a break after step {made} (epoch {epoch}, {position} of {count} batches used)"
        differs = [i for i in range(made, len(losses)) if losses[i] != wanted[i]]
        shown = (
            f"loss {differs[0]} after {where} differs from the unbroken run's" if differs else ""
        )
        got = losses[differs[0]] if differs else None
        message = f"{shown}: something that the next step reads is not in the state."
        expect.that(not differs, message, got)
    same = bits_of(state) == bits_of(end)
    expect.that(same, "All losses are those of the unbroken run, but the last state is not.")


@check("8.7.b", row="resume")
def test_a_state_is_not_touched(student, draw, expect):
    """Going on changes neither the state it goes on from nor the data; no data is refused."""
    case = _case(draw, 0.3)
    settings, x, y = case["settings"], case["x"], case["y"]
    steps = draw.integer(4, 6)
    first = student.numpy.train(x, y, settings, steps)
    _, state = _looks_right(expect, first, steps)
    calls = [
        ((x, y, settings, 3, state), {}),
        ((x, y, settings, 3, state), {}),
        ((x, y, settings, 0), {}),
        ((x[:1], y[:1], settings, 2), {}),
        ((x.T.copy().T, y[::-1], settings, 2), {}),
    ]
    answers = answers_of(student, expect, "train", calls)
    for (arguments, _), answer in zip(calls, answers, strict=True):
        expect.that("value" in answer, f"train raised {answer.get('message')}.")
        _looks_right(expect, answer["value"], arguments[3])
        quiet = answer.get("quiet") is True
        expect.that(quiet, "train used NumPy's global generator.")
    again = bits_of(answers[0]["value"]) == bits_of(answers[1]["value"])
    expect.that(again, "Going on twice from one state gives two results.")
    refusals(
        student, expect, "train",
        [
            ("for a negative number of steps", (x, y, settings, -1), {}),
            ("for targets of another length", (x, y[:-1], settings, 1), {}),
            ("for a column of targets", (x, y[:, None], settings, 1), {}),
            ("for examples without a second dimension", (y, y, settings, 1), {}),
            ("for examples of three dimensions", (x[:, None], y, settings, 1), {}),
            ("without examples", (x[:0], y[:0], settings, 1), {}),
        ],
    )  # fmt: skip
