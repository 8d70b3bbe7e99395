"""Hidden checks of bottleneck (8.2.f): each cost is taken away and the rest is lived."""

from __future__ import annotations

from grader.checks import check
from grader.checks.many import refusals

from .lived import lived, op_of, random_program, told, wait_of
from .programs import plain_values, with_bad_references, with_bad_times

WORDS = ("launch", "compute", "copy", "sync")


def _without(ops, word):
    changed = []
    for op in ops:
        if word == "launch":
            changed.append({**op, "launch": 0})
        elif word == "sync":
            changed.append({**op, "waits": []})
        else:
            changed.append({**op, "device": 0} if op.get("kind") == word else op)
    return changed


def _bound(ops, sync):
    total = lived(ops, sync)["total"]
    savings = {word: total - lived(_without(ops, word), sync)["total"] for word in WORDS}
    return {"bound": max(WORDS, key=savings.get), "total": total, "savings": savings}


def _bounds(student, expect, programs, sync=1):
    calls = [((ops, sync), {}) for ops in programs.values()]
    for (words, ops), got in zip(
        programs.items(), plain_values(student, expect, "bottleneck", calls), strict=True
    ):
        want = _bound(ops, sync)
        expect.keys(got, want, what=f"the result ({words})")
        expect.close(got["total"], want["total"], rtol=1e-9, what=f"total ({words})", unit="us")
        what = f"savings ({words})"
        expect.close(got["savings"], want["savings"], rtol=1e-9, what=what, unit="us")
        expect.equal(got["bound"], want["bound"], what=f"bound ({words})")


def _steps(n, launch, work, kind="compute", every=0):
    ops = []
    for i in range(n):
        op = op_of(f"{kind}{i}", kind, launch, work, kind=kind)
        ops.append({**op, "waits": [op["name"]]} if every and i % every == 0 else op)
    return ops


@check("8.2.f", row="timing", level="pass")
def test_four_kinds_of_bottleneck(student, draw, expect):
    """Slow launches, long kernels, long copies and many waits are told apart."""
    n, long = draw.integer(6, 10), draw.integer(30, 50)
    programs = {
        "slow launches": _steps(n, long, 3),
        "long kernels": _steps(n, 3, long),
        "long copies beside short kernels": [*_steps(n, 2, long, "copy"), *_steps(n, 2, 9)],
        "a wait after every kernel": _steps(n * 3, 20, 20, every=1),
    }
    _bounds(student, expect, programs, sync=5)


@check("8.2.f", row="timing", level="pass")
def test_a_hidden_cost_saves_nothing(student, draw, expect):
    """A cost that is hidden behind another saves nothing, however large its sum is."""
    n, work = draw.integer(5, 8), draw.integer(20, 30)
    copies = [
        {**op, "device": work - 1} for op in _steps(n, 0, work, "copy")
    ]  # nearly as long in sum, and hidden
    programs = {
        "copies hidden behind kernels": [*copies, *_steps(n, 0, work), *_steps(1, 0, 5, "copy_")],
        "launches hidden behind kernels": _steps(n, work - 1, work),
    }
    programs["copies hidden behind kernels"][-1]["kind"] = "compute"
    _bounds(student, expect, programs)


@check("8.2.f", row="timing", level="pass")
def test_the_first_of_equal_savings(student, draw, expect):
    """Of costs that save the same, the first of launch, compute, copy and sync is reported."""
    cost = draw.integer(3, 9)
    programs = {}
    for kind in ("compute", "copy"):
        both = op_of("k", "a", cost, cost, kind=kind)
        read = op_of("k", "a", 0, cost, kind=kind, waits=["k"])
        programs |= {f"launch and {kind} save the same": [both],
                     f"{kind} and sync save the same": [read]}  # fmt: skip
    programs |= {
        "launch and sync save the same": [{**wait_of(), "launch": cost}],
        "compute and copy save the same": [
            op_of("copy", "a", 0, cost, kind="copy"), op_of("k", "a", 0, cost, kind="compute")],
        "all four save the same": [
            op_of("copy", "a", cost, cost, kind="copy"),
            op_of("k", "a", 0, cost, kind="compute", waits="all")],
    }  # fmt: skip
    _bounds(student, expect, programs, sync=cost)


@check("8.2.f", row="timing", level="pass")
def test_what_any_program_is_bound_by(student, draw, expect):
    """In random programs each cost is worth what taking it away saves."""
    programs = {}
    while len(programs) < 12:
        ops = random_program(draw, 2 + len(programs))
        if max(_bound(ops, 2)["savings"].values()) > 0:
            programs[f"random program {len(programs)}: {told(ops)}"] = ops
    _bounds(student, expect, programs, sync=2)


@check("8.2.f", row="timing", level="pass")
def test_no_bottleneck(student, draw, expect):
    """A program that takes no time, of unknown kinds, or that is none, is refused."""
    good = op_of("k", "main", 1, 5, kind="compute")
    cases = [
        ("for an empty program", ([],), {}),
        ("if nothing takes any time", ([op_of("k", "main", kind="copy")],), {}),
        ("if the kind is another word", ([good, op_of("b", "main", 1, 1, kind="other")],), {}),
        ("if the kind is missing", ([good, op_of("b", "main", 1, 1)],), {}),
    ]
    programs = with_bad_times() | with_bad_references()
    cases += [(why, (ops,), {}) for why, ops in programs.items()]
    refusals(student, expect, "bottleneck", cases)
