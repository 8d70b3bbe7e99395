"""Measurements for the prediction sheet. No student code is in the process.

The size of a term is what must be added to the prediction of somebody who made that mistake alone:
the measurement less what that mistake predicts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

AUTOMATIC = (4, 4, 5, 6, 7, 5, 1, 1, 3, 0)
STATIC = (4, 5, 6, 5, 4, 7, 8, 6)
DYNAMIC = (4, 5, 6, 1, 7, 1)
SQUARES = ((4, 4), (5, 5), (4, 5), (6, 7), (7, 7))
MARKED = (4, 5, 6, 7)
INTEGERS = (3, 4, 5, 6, 3)
CALLS = 12


def _double(x: Any) -> Any:
    return x * 2


def _graphs(shapes: Sequence[Any], dynamic: bool | None = None) -> int:
    """Return how many graphs `_double` needs for tensors of these shapes."""
    import torch

    from grader.instruments.graph_breaks import count_graphs

    return count_graphs(_double, [(torch.ones(shape),) for shape in shapes], dynamic).graphs


def _less(value: int, **predicted: int) -> dict[str, Any]:
    """Return a measurement and its terms, from what each mistake predicts."""
    return {"value": value, "terms": {name: value - number for name, number in predicted.items()}}


def measure_batches_automatic(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Sizes that change, repeat, and get small."""
    large = [size for size in AUTOMATIC if size > 1]
    value = _graphs(AUTOMATIC)
    return _less(
        value,
        no_symbols=len(set(AUTOMATIC)),
        symbol_from_the_start=1 + len(set(AUTOMATIC) - set(large)),
        small_sizes_fit=min(2, len(set(large))),
        every_call=len(AUTOMATIC),
    )


def measure_batches_static(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """One graph for each size."""
    value = _graphs(STATIC, dynamic=False)
    return _less(value, promotion=2, symbol_from_the_start=1, every_call=len(STATIC))


def measure_batches_dynamic(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Symbols from the start; a size of 1 is none."""
    value = _graphs(DYNAMIC, dynamic=True)
    return _less(
        value,
        small_sizes_fit=1,
        constant_at_first=3,
        no_symbols=len(set(DYNAMIC)),
        every_call=len(DYNAMIC),
    )


def measure_square_dynamic(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Equal sizes share a symbol."""
    value = _graphs(SQUARES, dynamic=True)
    return _less(value, symbols_not_shared=1, no_symbols=len(set(SQUARES)))


def measure_marked(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A size that is marked is a symbol in the first graph."""
    import torch

    from grader.instruments.graph_breaks import count_graphs

    calls = [(torch.ones(size),) for size in MARKED]
    counted = count_graphs(
        _double, calls, before=lambda number: torch._dynamo.mark_dynamic(calls[number][0], 0)
    )
    return _less(counted.graphs, promotion=2, no_symbols=len(MARKED))


def measure_integers(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """An int argument is promoted like a size."""
    import torch

    from grader.instruments.graph_breaks import count_graphs

    def times(x: Any, n: int) -> Any:
        return x * n

    value = count_graphs(times, [(torch.ones(3), n) for n in INTEGERS]).graphs
    return _less(
        value,
        no_symbols=len(set(INTEGERS)),
        symbol_from_the_start=1,
        every_call=len(INTEGERS),
    )


def measure_module_counter(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """An int of a module is a constant: a graph a call, until there are too many."""
    import torch

    from grader.instruments.graph_breaks import count_graphs

    class Counter(torch.nn.Module):
        calls = 0

        def forward(self, x: Any) -> Any:
            self.calls += 1
            return x * 2

    value = count_graphs(Counter(), [(torch.ones(3),)] * CALLS).graphs
    return _less(value, no_limit=CALLS, promotion=2, not_guarded=1)


def measure_modes(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Mode and gradients are guarded; what was compiled once is found again."""
    import torch

    from grader.instruments.graph_breaks import count_graphs

    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.5))
    modes = [("train", True), ("eval", True), ("eval", False)] * 2

    def before(number: int) -> None:
        mode, gradients = modes[number]
        model.train(mode == "train")
        torch.set_grad_enabled(gradients)

    try:
        value = count_graphs(model, [(torch.ones(2, 3),)] * len(modes), before=before).graphs
    finally:
        torch.set_grad_enabled(True)
    return _less(value, gradients_not_guarded=2, mode_not_guarded=1, every_call=len(modes))


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
