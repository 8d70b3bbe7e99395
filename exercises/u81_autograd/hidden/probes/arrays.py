"""Probes of the NumPy stage: vjp functions, the backward through a graph, buffers and views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def laid_out(array: np.ndarray, layout: str) -> np.ndarray:
    """Return an equal array whose memory lies as told: ``plain``, ``transposed`` or ``strided``."""
    if layout == "transposed":
        return np.ascontiguousarray(array.T).T
    if layout == "strided":
        wide = np.full((*array.shape[:-1], 2 * array.shape[-1]), 7, array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    return array.copy()


def vjp(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run a vjp function forward, spoil all it was handed and returned, and pull a gradient back.

    Pull gets copies of what was saved, and by then the arguments and the output hold other numbers:
    what it took from elsewhere than `saved` comes out wrong.
    """
    layouts = case.get("layouts") or ["plain"] * len(case["args"])
    args = [laid_out(array, layout) for array, layout in zip(case["args"], layouts, strict=True)]
    before = [array.copy() for array in args]
    result = getattr(stage, case["function"])(*args, tuple(case["needs"]))
    problem = _shape_problem(result)
    if problem:
        return {"problem": problem}
    output, saved, pull = result
    seen: dict[str, Any] = {
        "problem": "",
        "output": np.array(output),
        "output_dtype": str(np.asarray(output).dtype),
        "python_float": type(output) is float,
        "saved": [_described(array, args, output) for array in saved],
        "args_kept": all(map(_same, args, before)),
    }
    copies = [np.array(array) for array in saved]
    kept = [array.copy() for array in copies]
    for array in (*args, output):
        if isinstance(array, np.ndarray) and array.flags.writeable:
            array[...] = 0 if array.dtype.kind in "iu" else np.nan
    g = case["g"].copy() if isinstance(case["g"], np.ndarray) else case["g"]
    gradients = pull(tuple(copies), g)
    if not isinstance(gradients, tuple | list):
        return {"problem": f"pull must return a tuple, not {type(gradients).__name__}"}
    seen["gradients"] = [None if part is None else np.array(part) for part in gradients]
    seen["dtypes"] = [None if part is None else str(np.asarray(part).dtype) for part in gradients]
    seen["saved_kept"] = all(map(_same, copies, kept)) and _same(
        np.asarray(g), np.asarray(case["g"])
    )
    return seen


def _shape_problem(result: Any) -> str:
    if not isinstance(result, tuple | list) or len(result) != 3:
        return "the function must return three things: output, saved and pull"
    _, saved, pull = result
    if not isinstance(saved, tuple | list):
        return f"saved must be a tuple, not {type(saved).__name__}"
    if not all(isinstance(array, np.ndarray) for array in saved):
        return "saved must hold arrays alone"
    return "" if callable(pull) else f"pull must be a function, not {type(pull).__name__}"


def _described(array: np.ndarray, args: list[np.ndarray], output: Any) -> dict[str, Any]:
    """Say how large a saved array is, and whose memory it lies on."""
    known = [*args, output]
    on = [
        place
        for place, other in enumerate(known)
        if isinstance(other, np.ndarray) and np.may_share_memory(array, other)
    ]
    place = on[0] if on else None
    return {
        "shape": list(array.shape),
        "bytes": array.nbytes,
        "on": "output" if place == len(args) else place,
    }


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and one.tobytes() == other.tobytes()


def refused(stage: Any, case: dict[str, Any]) -> list[str]:
    """Call a function that should refuse; return the names of the error's classes, if any."""
    try:
        getattr(stage, case["function"])(*case["args"])
    except NotImplementedError:
        raise
    except Exception as error:  # which one is judged by the driver
        return [kind.__name__ for kind in type(error).__mro__]
    return []


# 8.1.d backward


def _pulls(kind: str, node: dict[str, Any]) -> Callable[[Any], Any]:
    """Return the pull of an operator of a recipe."""
    if kind == "scale":
        return lambda g: [None if factor is None else g * factor for factor in node["factors"]]
    if kind == "pass on":  # hands on the array it was given, to each input
        return lambda g: tuple(g for _ in node["inputs"])
    if kind == "nothing":
        return lambda _: tuple(None for _ in node["inputs"])
    if kind == "number":
        return lambda g: [float(np.sum(g)) for _ in node["inputs"]]
    if kind == "too few":
        return lambda g: [g] * (len(node["inputs"]) - 1)
    return lambda g: [g] * (len(node["inputs"]) + 1)  # "too many"


def _chain(count: int) -> list[dict[str, Any]]:
    """Return the recipe of a chain that passes its gradient on."""
    leaf = {"name": "0", "inputs": [], "kind": "leaf"}
    return [leaf] + [
        {"name": str(number), "inputs": [str(number - 1)], "kind": "pass on"}
        for number in range(1, count + 1)
    ]


def pulled(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run a backward through a graph made from a recipe; say what was called, and what was edited.

    A recipe is a list of ``{"name", "inputs", "kind", "factors"}``; a leaf has the kind ``leaf``.
    A number in its place stands for a chain of so many nodes on the leaf ``0``.
    """
    recipe = case["nodes"] if isinstance(case["nodes"], list) else _chain(case["nodes"])
    called: list[str] = []
    handed: list[tuple[np.ndarray, np.ndarray]] = []

    def recorded(name: str, pull: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def run(g: Any) -> Any:
            called.append(name)
            parts = pull(g)
            for part in (g, *parts):
                if isinstance(part, np.ndarray):
                    handed.append((part, part.copy()))
            return parts

        return run

    nodes = {
        node["name"]: {
            "inputs": list(node["inputs"]),
            "pull": None
            if node["kind"] == "leaf"
            else recorded(node["name"], _pulls(node["kind"], node)),
        }
        for node in recipe
    }
    names, inputs = list(nodes), [list(node["inputs"]) for node in nodes.values()]
    grad = case["grad"].copy() if isinstance(case["grad"], np.ndarray) else case["grad"]
    seen: dict[str, Any] = {}
    try:
        leaves = stage.backward(nodes, case["root"], grad)
    except NotImplementedError:
        raise
    except Exception as error:  # which one is judged by the driver
        seen["raised"] = [kind.__name__ for kind in type(error).__mro__]
        return seen
    if isinstance(leaves, dict):
        leaves = {key: np.array(value) for key, value in leaves.items()}
    seen |= {
        "leaves": leaves,
        "called": called,
        "edited": not all(_same(now, then) for now, then in handed)
        or not np.array_equal(grad, case["grad"]),
        "graph_kept": list(nodes) == names
        and [node["inputs"] for node in nodes.values()] == inputs,
    }
    return seen


# 8.1.e saved_bytes


def costs(stage: Any, case: dict[str, Any]) -> Any:
    """Make buffers and views of them from a recipe, and ask what they cost.

    ``buffers`` lists shapes and dtypes; ``saved`` and ``params`` list (buffer, view) pairs.
    """
    buffers = [np.zeros(shape, dtype) for shape, dtype in case["buffers"]]

    def view(number: int, how: str) -> np.ndarray:
        array = buffers[number]
        views: dict[str, Callable[[], np.ndarray]] = {
            "all": lambda: array[:],
            "itself": lambda: array,
            "transposed": lambda: array.T,
            "flat": lambda: array.reshape(-1),
            "rows": lambda: array[1:3],
            "corner": lambda: array[:1].T[:1],
            "none": lambda: array[:0],
            "bytes": lambda: array.view(np.uint8),
            "repeated": lambda: np.broadcast_to(array, (5, *array.shape)),
        }
        return views[how]()

    saved = [view(*pair) for pair in case["saved"]]
    params = [view(*pair) for pair in case["params"]]
    return stage.saved_bytes(saved, params)
