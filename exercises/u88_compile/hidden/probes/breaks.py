"""Functions with every kind of break and with none, and what find_break and compile_counts say."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any


def functions() -> dict[str, Callable[..., Any]]:
    """Return functions of one tensor by the kind of break in them."""
    import torch

    @torch.compiler.disable
    def outside(x: Any) -> Any:
        return x + 1

    def item(x: Any) -> Any:
        return x * x.sum().item()

    def as_float(x: Any) -> Any:
        return x * float(x.sum())

    def nonzero(x: Any) -> Any:
        return x.nonzero() * 2

    def mask(x: Any) -> Any:
        return x[x > 0] * 2

    def branch(x: Any) -> Any:
        y = x * 2
        if y.sum() > 0:
            return y + 1
        return y - 1

    def branch_at_the_end(x: Any) -> Any:
        y = x * 2
        if y.sum() > 0:
            return y
        return y

    def print_first(x: Any) -> Any:
        print("x")
        return x * 2

    def print_last(x: Any) -> Any:
        y = x * 2
        print("y")
        return y

    def print_between(x: Any) -> Any:
        y = x * 2
        print("y")
        return y + 1

    def tolist(x: Any) -> Any:
        return (x * 2).tolist()

    def disabled_helper(x: Any) -> Any:
        return outside(x * 2) * 3

    def explicit(x: Any) -> Any:
        y = x * 2
        torch._dynamo.graph_break()
        return y + 1

    def clock(x: Any) -> Any:
        y = x * 2
        return y + 0 * time.time()

    def twice(x: Any) -> Any:
        y = x * x.sum().item()
        print("y")
        return y + 1

    def plain(x: Any) -> Any:
        return (x * 2).sum() + 1

    def shape_branch(x: Any) -> Any:
        return x * 2 if x.shape[0] > 2 else x * 3

    def length(x: Any) -> Any:
        return x * len(x)

    def through_numpy(x: Any) -> Any:
        return torch.from_numpy(x.numpy() * 2) + 1

    def chosen(x: Any) -> Any:
        return torch.where(x > 0, x, -x)

    def same(x: Any) -> Any:
        return x

    return {
        name: value for name, value in locals().items() if callable(value) and name != "outside"
    }


def found(stage: Any, case: dict[str, Any]) -> list[Any]:
    """Ask find_break about each function; ``used`` ones were compiled up to the limit before."""
    import torch

    made, x = functions(), torch.tensor(case["x"])
    with redirect_stdout(io.StringIO()):
        for kind in case.get("used", ()):
            for _ in range(torch._dynamo.config.recompile_limit):
                # a backend of its own each time, so that nothing compiled before fits
                torch.compile(made[kind], backend=lambda graph, inputs: graph.forward)(x)
        return [stage.find_break(made[kind], x.clone()) for kind in case["kinds"]]


def known(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the course's own instrument says of each function."""
    import torch

    from grader.instruments.graph_breaks import count_graphs, first_break

    made, told = functions(), []
    x = torch.tensor(case["x"])
    with redirect_stdout(io.StringIO()):
        for kind in case["kinds"]:
            counted, reason = count_graphs(made[kind], [(x,)]), first_break(made[kind], x)
            told.append({"broken": reason != "", "reason": reason, "graphs": counted.graphs,
                         "operators": counted.operators})  # fmt: skip
    return told


def raising(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Ask find_break about a function that raises by itself."""
    import torch

    def fn(x: Any) -> Any:
        y = x * 2
        if x.shape[0] == 3:
            raise KeyError("of the function itself")
        return y

    try:
        return {"answer": stage.find_break(fn, torch.ones(3))}
    except KeyError as error:
        return {"raised": str(error)}


def of_modules(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Ask find_break about modules and about functions of several arguments."""
    import torch

    class Reads(torch.nn.Linear):
        def forward(self, x: Any) -> Any:
            return super().forward(x) * x.max().item()

    def two(x: Any, y: Any) -> Any:
        z = x @ y
        return z if bool(z.sum() > 0) else z + 1

    x = torch.ones(3, 3)
    return [
        stage.find_break(torch.nn.Linear(3, 2), x),
        stage.find_break(Reads(3, 2), x),
        stage.find_break(two, x, x.t()),
        stage.find_break(lambda a, b: a @ b, x, x.t()),
    ]


def _counted_functions() -> dict[str, Callable[..., Any]]:
    """Return functions to be called several times, by name."""
    import torch

    def double(x: Any) -> Any:
        return x * 2

    def times(x: Any, n: Any) -> Any:
        return x * n

    def broken(x: Any) -> Any:
        y = x * 2
        torch._dynamo.graph_break()
        return y + 1

    def nothing(x: Any) -> Any:
        return x

    return {"double": double, "times": times, "broken": broken, "nothing": nothing,
            "module": torch.nn.Linear(3, 3)}  # fmt: skip


def _calls(one: dict[str, Any]) -> list[Any]:
    """Return the arguments of each call, a tuple and a list in turn."""
    import torch

    made = (
        [torch.ones(item["shape"]) if isinstance(item, dict) else item for item in call]
        for call in one["calls"]
    )
    return [call if number % 2 else tuple(call) for number, call in enumerate(made)]


def counted(stage: Any, case: dict[str, Any]) -> list[Any]:
    """Ask compile_counts about functions, some of which were compiled before."""
    import torch

    made, answers = _counted_functions(), []
    for one in case["sequences"]:
        fn, calls = made[one["function"]], _calls(one)
        if one.get("compiled before"):
            torch.compile(fn, backend="eager")(*calls[0])
        answers.append(stage.compile_counts(fn, calls, **one["named"]))
    return answers


def known_counts(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the course's own instrument counts for the same calls."""
    from grader.instruments.graph_breaks import count_graphs

    made, told = _counted_functions(), []
    for one in case["sequences"]:
        true = count_graphs(made[one["function"]], _calls(one), one["named"].get("dynamic"))
        told.append({"compiled": list(true.compiled), "ran": list(true.ran)})
    return told


def torch_guards(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the guard that torch names for each pair of calls of one tensor."""
    import torch

    from grader.instruments.graph_breaks import failing_guard

    def double(x: Any) -> Any:
        return x * 2

    def made(described: list[Any]) -> list[Any]:
        return [torch.ones(one["shape"], dtype=getattr(torch, one["dtype"])) for one in described]

    dtypes = {"Float": "float32", "Double": "float64", "Long": "int64"}
    told = []
    for first, second in case["pairs"]:
        words = failing_guard(double, made(first), made(second))
        kind = words.partition(" mismatch")[0].rpartition(" ")[2]
        place = words.partition("at index ")[2].partition(".")[0]
        old, new = words.partition("expected ")[2].split(", actual ")
        old, new = (dtypes[one] if kind == "dtype" else int(one) for one in (old, new.strip()))
        told.append({"kind": kind, "index": int(place) if place else None,
                     "expected": old, "actual": new})  # fmt: skip
    return told


def torch_logs(stage: Any, case: dict[str, Any]) -> list[list[str]]:
    """Return what torch does at each call: compile, hit, or run eagerly."""
    import torch

    from grader.instruments.graph_breaks import count_graphs

    def fn(x: Any, n: Any) -> Any:
        return x * 2 if n is None else x * n

    logs = []
    for one in case["cases"]:
        calls = [
            (torch.ones(x["shape"], dtype=getattr(torch, x["dtype"])), n) for x, n in one["calls"]
        ]
        counted = count_graphs(fn, calls, one["named"]["dynamic"])
        logs.append([
            "compile" if compiled else "hit" if ran else "eager"
            for compiled, ran in zip(counted.compiled, counted.ran, strict=True)
        ])  # fmt: skip
    return logs
