"""See every graph break and recompilation of a function, without a compiler and without a clock.

`torch._dynamo` is not a public module; everything the course takes from it for measuring is in this
file, and `tests/instruments/test_graph_breaks.py` holds it against counts made by hand.

Compiled code is kept by torch for the code of a function. Whatever measures here begins with an
empty memory and leaves one behind, so nothing of it can be nested in a compiled call.

Blind to: what happens inside a graph that a backend runs, and breaks behind the first one, of which
only the number of graphs is told.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import torch
import torch._dynamo
from torch._dynamo.testing import CompileCounter
from torch._dynamo.utils import counters

Calls = Sequence[Sequence[Any]]
"""Arguments of each call."""

DETECTORS = ("explain", "counters", "frames", "fullgraph", "error_on_graph_break")
"""Ways to look for a break, of which only the last sees every kind."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What several calls of one compiled function came to.

    Attributes:
        compiled: Graphs compiled in each call.
        ran: Graphs that ran in each call; 0 is a call that ran eagerly as a whole.
        operators: Nodes that call something, in all graphs together.
    """

    compiled: tuple[int, ...]
    ran: tuple[int, ...]
    operators: int

    @property
    def graphs(self) -> int:
        """All graphs that were compiled."""
        return sum(self.compiled)


class CountingBackend:
    """A backend that runs each graph as it is and counts."""

    def __init__(self) -> None:
        """Start with nothing counted."""
        self.graphs = self.operators = self.runs = 0

    def __call__(self, graph_module: Any, example_inputs: Any) -> Callable[..., Any]:
        """Count a graph; what is returned counts its runs."""
        self.graphs += 1
        self.operators += sum(node.op.startswith("call") for node in graph_module.graph.nodes)

        def run(*inputs: Any) -> Any:
            self.runs += 1
            return graph_module.forward(*inputs)

        return run


@contextmanager
def forgotten() -> Iterator[None]:
    """Begin and end without anything compiled; torch's advice is not printed."""
    log = logging.getLogger("torch._dynamo")
    level = log.level
    log.setLevel(logging.CRITICAL)
    torch._dynamo.reset()
    try:
        yield
    finally:
        torch._dynamo.reset()
        log.setLevel(level)


def count_graphs(
    fn: Callable[..., Any],
    calls: Calls,
    dynamic: bool | None = None,
    before: Callable[[int], None] | None = None,
) -> Counted:
    """Compile `fn` once, make the calls, and count graphs.

    Args:
        fn: A function or module.
        calls: Arguments of each call.
        dynamic: Handed to `torch.compile`.
        before: Called with the number of each call before it, to change a mode, for example.
    """
    backend, compiled, ran = CountingBackend(), [], []
    with forgotten():
        optimized = torch.compile(fn, backend=backend, dynamic=dynamic)
        for number, arguments in enumerate(calls):
            graphs, runs = backend.graphs, backend.runs
            if before is not None:
                before(number)
            optimized(*arguments)
            compiled.append(backend.graphs - graphs)
            ran.append(backend.runs - runs)
    return Counted(tuple(compiled), tuple(ran), backend.operators)


def first_break(fn: Callable[..., Any], *args: Any) -> str:
    """Return the first line of torch's reason for the first break; nothing where there is none."""
    with forgotten():
        try:
            with torch._dynamo.error_on_graph_break(True):
                torch.compile(fn, backend="eager")(*args)
        except torch._dynamo.exc.TorchDynamoException as error:
            return str(error).strip().partition("\n")[0]
    return ""


def failing_guard(fn: Callable[..., Any], first: Sequence[Any], second: Sequence[Any]) -> str:
    """Return why a function compiled for `first` is compiled again for `second`; or nothing."""
    with forgotten(), torch._dynamo.config.patch(error_on_recompile=True):
        compiled = torch.compile(fn, backend="eager")
        compiled(*first)
        try:
            compiled(*second)
        except torch._dynamo.exc.RecompileError as error:
            reasons = [line for line in str(error).splitlines() if ": " in line]
            return reasons[-1].strip().lstrip("- ")
    return ""


def recompiles_after(fn: Callable[..., Any], calls: Calls, warmup: int) -> bool:
    """Whether a call after the first `warmup` ones makes torch compile again."""
    with forgotten():
        compiled = torch.compile(fn, backend="eager")
        for arguments in calls[:warmup]:
            compiled(*arguments)
        try:
            with torch._dynamo.config.patch(error_on_recompile=True):
                for arguments in calls[warmup:]:
                    compiled(*arguments)
        except torch._dynamo.exc.RecompileError:
            return True
    return False


def detect(fn: Callable[..., Any], *args: Any) -> dict[str, bool]:
    """Return for each of `DETECTORS` whether it shows a break; `fn` is called five times."""
    seen = {}
    with forgotten():
        seen["explain"] = torch._dynamo.explain(fn)(*args).graph_break_count > 0
    with forgotten():
        counters.clear()
        counter = CompileCounter()
        torch.compile(fn, backend=counter)(*args)
        seen["counters"] = sum(counters["graph_break"].values()) > 0
        seen["frames"] = counter.frame_count > 1
        counters.clear()
    with forgotten():
        try:
            torch.compile(fn, backend="eager", fullgraph=True)(*args)
            seen["fullgraph"] = False
        except torch._dynamo.exc.TorchDynamoException:
            seen["fullgraph"] = True
    seen["error_on_graph_break"] = first_break(fn, *args) != ""
    return seen


def answers_known_question() -> bool:
    """Whether a value that is read is a break, and one operator is one graph that runs once.

    Asks of code of its own, which nobody has compiled, and so forgets nothing that others compiled.
    """
    backend, x = CountingBackend(), torch.ones(3)
    answer = torch.compile(_fresh(_doubles), backend=backend)(x)
    if (backend.graphs, backend.operators, backend.runs, answer.tolist()) != (1, 1, 1, [2.0] * 3):
        return False
    try:
        with torch._dynamo.error_on_graph_break(True):
            torch.compile(_fresh(_reads), backend="eager")(x)
    except torch._dynamo.exc.Unsupported:
        return True
    return False


def _fresh(fn: Callable[..., Any]) -> FunctionType:
    """Return the function with code of its own."""
    return FunctionType(fn.__code__.replace(co_name=fn.__name__), fn.__globals__)


def _doubles(x: Any) -> Any:
    return x * 2


def _reads(x: Any) -> Any:
    return x * 2 if x.sum() > 0 else x
