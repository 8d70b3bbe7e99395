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

    return {name: value for name, value in locals().items() if callable(value) and name != "outside"}


def found(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Ask find_break about each function; tell beside it what a count made here says."""
    import torch

    from grader.instruments import graph_breaks

    made, answers = functions(), []
    x = torch.tensor(case["x"])
    for kind in case["kinds"]:
        with redirect_stdout(io.StringIO()):
            answer = stage.find_break(made[kind], x.clone())
            counted = graph_breaks.count_graphs(made[kind], [(x,)])
            reason = graph_breaks.first_break(made[kind], x)
        answers.append({"answer": answer, "graphs": counted.graphs,
                        "operators": counted.operators, "reason": reason})  # fmt: skip
    return answers


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


def counted(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Ask compile_counts about functions; tell beside it what a count made here says."""
    import torch

    from grader.instruments import graph_breaks

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

    made = {"double": double, "times": times, "broken": broken, "nothing": nothing,
            "module": torch.nn.Linear(3, 3)}  # fmt: skip
    answers = []
    for one in case["sequences"]:
        calls = [
            tuple(torch.ones(item["shape"]) if isinstance(item, dict) else item for item in call)
            for call in one["calls"]
        ]
        fn = made[one["function"]]
        if one.get("compiled before"):
            torch.compile(fn, backend="eager")(*calls[0])
        answer = stage.compile_counts(fn, calls, **one["named"])
        true = graph_breaks.count_graphs(fn, calls, one["named"].get("dynamic"))
        answers.append({"answer": answer, "compiled": list(true.compiled), "ran": list(true.ran)})
    return answers
