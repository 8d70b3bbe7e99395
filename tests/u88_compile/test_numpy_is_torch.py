"""The small compiler of the NumPy stage does what torch.compile does, call by call."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from grader.instruments.graph_breaks import count_graphs, failing_guard

WORDS = {(True, True): "compile", (False, True): "hit", (False, False): "eager"}


def _fn(x: Any, n: Any, y: Any) -> Any:
    """Look at everything: what a function never looks at is not guarded."""
    if n is None:
        return x * 2, y * 3
    if isinstance(n, (bool, str)):
        return x * 2, y * (2 if n in (True, "a") else 3)
    return x * 2, y * n


def _calls(draw: random.Random) -> list[tuple[Any, ...]]:
    """Return calls of two arrays and a plain value, with sizes and values that change."""
    number = draw.choice([[2, 3, 4, 0, 1], [0.5, 2.5, 1.0], [True, False], ["a", "b"], [None]])
    sizes, few, rank = (
        [0, 1, 2, 3, 4, 5, 5, 6],
        draw.choice([[3], [0, 1, 3, 4]]),
        draw.choice([1, 2]),
    )
    return [
        (
            np.ones([draw.choice(sizes) for _ in range(rank)], draw.choice(["float32", "float64"])),
            draw.choice(number),
            np.ones(draw.choice(few), "float32"),
        )
        for _ in range(draw.randint(4, 12))
    ]


@pytest.mark.parametrize("seed", range(10))
def test_random_calls_are_compiled_where_torch_compiles_them(stage: ModuleType, seed: int) -> None:
    draw = random.Random(seed)
    calls, dynamic = _calls(draw), [None, True, None, False][seed % 4]
    log = stage.compile_log(calls, dynamic)
    tensors = [
        tuple(torch.from_numpy(one.copy()) if isinstance(one, np.ndarray) else one for one in call)
        for call in calls
    ]
    counted = count_graphs(_fn, tensors, dynamic)
    true = [
        WORDS[compiled > 0, ran > 0]
        for compiled, ran in zip(counted.compiled, counted.ran, strict=True)
    ]
    assert [entry["action"] for entry in log] == true


@pytest.mark.parametrize(
    ("first", "second"),
    [([4, 3], [5, 3]), ([4, 3], [4, 7]), ([4], [4, 1]), ([2, 2, 2], [2, 2, 5])],
)
def test_the_guard_that_fails_is_the_one_torch_names(
    stage: ModuleType, first: list[int], second: list[int]
) -> None:
    failed = stage.guard_failure([np.ones(first)], [np.ones(second)])
    words = failing_guard(lambda x: x * 2, (torch.ones(first),), (torch.ones(second),))
    assert f"{failed['kind']} mismatch" in words
    assert f"expected {failed['expected']}, actual {failed['actual']}" in words
    assert failed["index"] is None or f"at index {failed['index']}." in words


def test_a_captured_graph_has_the_operations_of_torchs(stage: ModuleType) -> None:
    def small(x: Any, y: Any) -> Any:
        z = x - y
        if z.sum() > 0:
            z = z * len(x)
        return z @ y

    captured = stage.capture(small, np.ones((3, 3)) * 2, np.ones((3, 3)))
    graphs: list[list[str]] = []

    def backend(graph_module: Any, example_inputs: Any) -> Any:
        calls = [node.target for node in graph_module.graph.nodes if node.op.startswith("call")]
        graphs.append([getattr(call, "__name__", str(call)) for call in calls])
        return graph_module.forward

    torch.compile(small, backend=backend)(torch.ones(3, 3) * 2, torch.ones(3, 3))
    same = {"subtract": "sub", "multiply": "mul", "greater": "gt"}
    names = [[op["op"] for op in graph] for graph in captured["graphs"]]
    assert [[same.get(name, name) for name in graph] for graph in names] == graphs
