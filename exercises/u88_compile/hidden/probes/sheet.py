"""Measurements for the prediction sheet. No student code is in the process.

The size of a term is what must be added to the prediction of somebody who made that mistake alone:
the measurement less what that mistake predicts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

AUTOMATIC = (
    (4, 3), (4, 3), (5, 3), (6, 3), (5, 7), (6, 8), (1, 3), (1, 9), (4, 1), (1, 1), (4, 3),
)  # fmt: skip
STATIC = (4, 5, 6, 5, 4, 7, 8, 6, 9, 3, 9, 5)
DYNAMIC = ((4, 3), (5, 6), (1, 3), (1, 5), (7, 1), (9, 1), (1, 1), (5, 8))
CUBES = ((4, 4, 4), (5, 5, 5), (4, 4, 5), (6, 6, 7), (4, 5, 6), (7, 8, 9), (7, 8, 7))
MARKED = ((4, 3), (5, 3), (6, 3), (6, 4), (7, 5), (8, 6))
MODES = ("add", "add", "multiply", "multiply", "divide", "divide", "subtract", "add")
INTEGERS = (3, 4, 5, 6, 7, 8, 9, 3)
BROKEN = (4, 5, 6, 5)
CALLS = 12


def _double(x: Any) -> Any:
    return x * 2


def _graphs(shapes: Sequence[Any], dynamic: bool | None = None) -> int:
    """Return how many graphs `_double` needs for tensors of these shapes."""
    return _quietly_counted(_double, [(shape,) for shape in shapes], dynamic)


def _quietly_counted(
    fn: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    dynamic: bool | None = None,
    before: Callable[[int, tuple[Any, ...]], None] | None = None,
) -> int:
    """Return the graphs of a function, whatever it prints; a call starts with a tensor's shape.

    `before` is called ahead of each call, with its number and its arguments.
    """
    import io
    from contextlib import redirect_stdout

    import torch

    from grader.instruments.graph_breaks import count_graphs

    made = [(torch.ones(shape), *rest) for shape, *rest in calls]
    ahead = None if before is None else lambda number: before(number, made[number])
    with redirect_stdout(io.StringIO()):
        return count_graphs(fn, made, dynamic, before=ahead).graphs


def _less(value: int, **predicted: int) -> dict[str, Any]:
    """Return a measurement and its terms, from what each mistake predicts."""
    return {"value": value, "terms": {name: value - number for name, number in predicted.items()}}


def measure_batches_automatic(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Two sizes that change one after the other, and get small."""
    return _less(
        _graphs(AUTOMATIC), small_sizes_fit=3, all_sizes_at_once=5, no_symbols=len(set(AUTOMATIC))
    )


def measure_batches_static(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """One graph for each size."""
    return _less(_graphs(STATIC, dynamic=False), promotion=2, every_call=len(STATIC))


def measure_batches_dynamic(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Symbols from the start; a size of 1 is none."""
    return _less(_graphs(DYNAMIC, dynamic=True), small_sizes_fit=1, constant_at_first=5)


def measure_cubes_dynamic(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Equal sizes share a symbol."""
    return _less(_graphs(CUBES, dynamic=True), symbols_not_shared=1, no_symbols=len(set(CUBES)))


def measure_marked(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A size that is marked is a symbol in the first graph, another one is not."""
    import torch

    value = _quietly_counted(
        _double,
        [(shape,) for shape in MARKED],
        before=lambda number, call: torch._dynamo.mark_dynamic(call[0], 0),
    )
    return _less(value, promotion=3, every_size_marked=1, no_symbols=len(set(MARKED)))


def _reckon(x: Any, mode: str, n: int) -> Any:
    """Compute one of four things."""
    if mode == "add":
        return x + n
    if mode == "multiply":
        return x * n
    return x / n if mode == "divide" else x - n


def measure_integers(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """An int argument is promoted like a size, a text is not."""
    calls = list(zip(MODES, INTEGERS, strict=True))
    value = _quietly_counted(_reckon, [((3,), *call) for call in calls])
    return _less(value, text_is_promoted=3, no_symbols=len(set(calls)))


def measure_module_counter(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """An int of a module is a constant: a graph a call, until there are too many.

    What comes behind the break does not read it.
    """
    import torch

    class Counter(torch.nn.Module):
        calls = 0

        def forward(self, x: Any) -> Any:
            self.calls += 1
            y = x * 2
            print("y")
            return y + 1

    value = _quietly_counted(Counter(), [((3,),)] * CALLS)
    return _less(value, no_limit=CALLS + 1, break_not_counted=8, break_compiles_again=16)


def measure_modes(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Gradients are guarded in each of three graphs, the mode only in the one with the dropout."""
    import torch

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.dropout = torch.nn.Linear(3, 3), torch.nn.Dropout(0.5)

        def forward(self, x: Any) -> Any:
            x = self.layer(x)
            print("x")
            x = self.dropout(x)
            print("x")
            return x * 2

    model = Model()
    modes = [(True, True), (False, True), (False, False), (True, False)] * 2

    def before(number: int, call: tuple[Any, ...]) -> None:
        training, gradients = modes[number]
        model.train(training)
        torch.set_grad_enabled(gradients)

    try:
        value = _quietly_counted(model, [((2, 3),)] * len(modes), before=before)
    finally:
        torch.set_grad_enabled(True)
    return _less(value, gradients_not_guarded=4, mode_not_guarded=6, mode_in_every_graph=12)


def measure_broken(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Four breaks leave five graphs, and each is compiled again with a symbol."""

    def fn(x: Any) -> Any:
        x = x * 2
        print("x")
        x = x * 2
        print("x")
        x = x * 2
        print("x")
        x = x * 2
        print("x")
        return x + 1

    value = _quietly_counted(fn, [(size,) for size in BROKEN])
    return _less(value, breaks_are_graphs=8, no_symbols=5 * len(set(BROKEN)))


def _guard(first: Any, second: Any) -> tuple[str, str]:
    """Return which guard fails at a second call, and torch's words for it."""
    from grader.instruments.graph_breaks import failing_guard

    words = failing_guard(_double, (first,), (second,))
    kinds = [kind for kind in ("size", "stride", "dtype", "rank") if f"{kind} mismatch" in words]
    return (kinds[0] if kinds else "nothing" if not words else ""), words


def measure_transposed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The same sizes, another layout."""
    import torch

    x = torch.arange(36.0).view(6, 6)
    kind, words = _guard(x, x.t())
    expected, actual = words.partition("expected ")[2].split(", actual ")
    return {"value": kind, "terms": {"expected": int(expected), "actual": int(actual)},
            "note": words}  # fmt: skip


def measure_next_batch(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Size and dtype differ; one of them is looked at first."""
    import torch

    from grader.instruments.graph_breaks import count_graphs

    first, second = torch.ones(4, 3), torch.ones(5, 3, dtype=torch.float64)
    kind, words = _guard(first, second)
    graphs = count_graphs(_double, [(first,), (second,)]).graphs
    return {"value": kind, "terms": {"graphs": graphs}, "note": f"{words}; {graphs} graphs"}


def _missed(fn: Callable[..., Any]) -> dict[str, Any]:
    """Return which of four instruments show no break, as one of the sheet's words."""
    import io
    from contextlib import redirect_stdout

    import torch

    from grader.instruments.graph_breaks import detect

    with redirect_stdout(io.StringIO()):
        seen = detect(fn, torch.ones(3))
    if not seen.pop("error_on_graph_break"):
        return {"value": None, "note": "no break was seen at all"}
    blind = [name for name, sees in seen.items() if not sees]
    words = {0: "none", len(seen): "all"}.get(len(blind), " and ".join(blind))
    number = len(seen) - len(blind)
    return {"value": words, "terms": {"show_it": number}, "note": f"{number} of 4 show it"}


def measure_item_missed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A value that is read."""
    return _missed(lambda x: x * x.sum().item())


def measure_branch_missed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A branch on a value."""

    def fn(x: Any) -> Any:
        y = x * 2
        if y.sum() > 0:
            return y + 1
        return y - 1

    return _missed(fn)


def measure_print_missed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A print behind the last operation."""

    def fn(x: Any) -> Any:
        y = x * 2
        print("y")
        return y

    return _missed(fn)


def measure_lengths(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Twelve lengths: two graphs with symbols, and without as many as there may be."""
    lengths = range(4, 4 + 12)
    return {
        "value": None,
        "terms": {"automatic": _graphs(lengths), "static": _graphs(lengths, dynamic=False)},
    }
