"""Hidden checks of closed_book_step (8.9.p) by its trace and by what ran while it was made."""

from __future__ import annotations

import re
from itertools import pairwise

from grader.checks import check
from grader.checks.numbers import is_finite
from grader.checks.watched import watched

INNER = ("transfer", "forward", "backward", "optimizer")


def _named(ranges, name):
    return [(start, end) for found, start, end in ranges if found == name]


def _within(inner, outer):
    return outer[0] <= inner[0] and inner[1] <= outer[1]


@check("8.9.p", row="timing", level="pass")
def test_closed_book(student, expect):
    """The trace of one annotated step is exported, and the largest of its phases is named."""
    seen = watched(student, expect, "closed_book", {"scratch": student.scratch})
    expect.that(not seen["problem"], f"The trace cannot be read: {seen['problem']}.")
    ranges, answer = seen["ranges"], seen["answer"]
    for name in ("train_step", *INNER):
        expect.equal(len(_named(ranges, name)), 1, what=f"ranges named {name} in the trace")
    step = _named(ranges, "train_step")[0]
    spans = {name: _named(ranges, name)[0] for name in INNER}
    for name in INNER:
        expect.that(_within(spans[name], step), f"{name} is not inside train_step.")
    for name, after in pairwise(INNER):
        expect.that(spans[name][1] <= spans[after][0], f"{after} begins before {name} ends.")
    few = len(seen["operators"]) < 10
    expect.that(not few, "The trace has hardly any operator: was a step profiled?")
    expect.keys(answer, ["trace", "train_step", "phases", "sentence"], what="the result")
    expect.keys(answer["phases"], INNER, what="phases")
    times = {name: (spans[name][1] - spans[name][0]) / 1000 for name in INNER}
    times["train_step"] = (step[1] - step[0]) / 1000
    told = {**answer["phases"], "train_step": answer["train_step"]}
    for name, time in times.items():
        fine = is_finite(told[name]) and abs(told[name] - time) <= max(1.0, 0.01 * time)
        expect.that(fine, f"The time of {name} is not that of the trace.")
    fine = sum(told[name] for name in INNER) <= told["train_step"] * (1 + 1e-9)
    expect.that(fine, "The phases add up to more than train_step.")
    largest = max(INNER, key=lambda name: told[name])
    sentence = str(answer["sentence"]).casefold()
    expect.that(len(sentence.split()) > 1, "The sentence is a single word.")
    # whole words: "straightforward" names no phase
    named = [name for name in INNER if re.search(f"(?<![a-z]){name}(?![a-z])", sentence)]
    expect.that(largest in named, "The sentence does not name the phase with the largest time.")
    expect.that(len(named) == 1, "The sentence must name one phase, the largest.")
    expect.equal(seen["named"], seen["path"], what="the path of the trace in the result")


PRODUCTS = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::mv", "aten::addmv"}
BACKWARD = "autograd::engine::evaluate_function"
UPDATE = "Optimizer.step#"


def _step(student, expect):
    """Return what the trace shows: ranges by name, the products, and what was seen besides."""
    seen = watched(student, expect, "closed_book", {"scratch": student.scratch})
    expect.that(not seen["problem"], f"The trace cannot be read: {seen['problem']}.")
    for name in ("train_step", *INNER):
        expect.equal(len(_named(seen["ranges"], name)), 1, what=f"ranges named {name}")
    spans = {name: _named(seen["ranges"], name)[0] for name in ("train_step", *INNER)}
    products = [[start, end] for name, start, end in seen["operators"] if name in PRODUCTS]
    return seen, spans, products


def _starting(found, prefix):
    return [(start, end) for name, start, end in found if name.startswith(prefix)]


@check("8.9.p", row="timing", level="pass")
def test_closed_book_step_is_whole_and_warm(student, expect):
    """One step of two layers, a backward and an optimizer is in the profile, and one ran before."""
    seen, spans, products = _step(student, expect)
    inside = {name: sum(_within(span, spans[name]) for span in products) for name in spans}
    expect.that(inside["forward"] >= 2, "The forward has fewer than two products of matrices.")
    few = "The backward of two layers has two products at least: is it inside its range?"
    expect.that(inside["backward"] >= 2, few)
    outside = len(products) - inside["train_step"]
    expect.equal(outside, 0, what="products outside train_step in a profile of one step")
    updates = [span for _, *span in seen["operators"] if _within(span, spans["optimizer"])]
    expect.that(len(updates) > 0, "No operator runs in the range of the optimizer.")
    warm = sum(update["changed"] for update in _before(seen)) >= 2
    expect.that(warm, "No step before the profiled one changed the weights of two layers: one has "
                "to warm up first.")  # fmt: skip


def _before(seen):
    """Return the updates before the profile that the trace is of."""
    numbers = [update["profile"] for update in seen["updates"]]
    if seen["profile"] is None or seen["profile"] not in numbers:
        return seen["updates"][:-1]
    return seen["updates"][: numbers.index(seen["profile"])]


@check("8.9.p", row="timing", level="pass")
def test_closed_book_work_in_its_range(student, expect):
    """Each range is around its own work: no product, gradient or update lies in another one."""
    seen, spans, products = _step(student, expect)
    moved = any(_within(product, spans["transfer"]) for product in products)
    expect.that(
        not moved, "The range named transfer has products of matrices: the forward is in it."
    )
    homes = ("forward", "backward", "optimizer")
    for product in products:
        fine = any(_within(product, spans[name]) for name in homes)
        expect.that(fine, "A product of matrices lies in none of the ranges it could belong to.")
    for gradient in _starting(seen["operators"], BACKWARD):
        fine = _within(gradient, spans["backward"])
        expect.that(fine, "Autograd computes gradients outside the range named backward.")
    steps = _starting(seen["ranges"], UPDATE)
    expect.that(len(steps) > 0, "The trace has no step of an optimizer of torch.optim.")
    # in place, which is how an optimizer changes weights
    changes = [[start, end] for name, start, end in seen["operators"]
               if name.startswith("aten::") and name.endswith("_")]  # fmt: skip
    changes = [change for change in changes if any(_within(change, step) for step in steps)]
    expect.that(len(changes) > 0, "The optimizer of the trace changes nothing.")
    fine = all(_within(change, spans["optimizer"]) for change in changes)
    expect.that(fine, "The optimizer's step runs outside the range named optimizer.")


@check("8.9.p", row="timing", level="pass")
def test_closed_book_trace_is_of_training(student, expect):
    """The trace is what a profiler recorded, and the step in it changed the weights."""
    seen, _, _ = _step(student, expect)
    real = seen["profile"] is not None
    expect.that(real, "The trace is not what a profiler recorded in this process: export the "
                "profile of the step as it is.")  # fmt: skip
    recorded = [u["changed"] for u in seen["updates"] if u["profile"] == seen["profile"]]
    fine = sum(recorded) >= 2
    expect.that(fine, "While the profiler recorded, no optimizer of torch.optim changed the "
                "weights of two layers.", sum(recorded))  # fmt: skip
