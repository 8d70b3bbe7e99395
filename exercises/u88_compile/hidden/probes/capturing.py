"""capture, guard_failure and compile_log on drawn cases."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

_BINARY: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "matmul": operator.matmul,
    "greater": operator.gt,
    "less": operator.lt,
    "greater_equal": operator.ge,
    "less_equal": operator.le,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
_UNARY: dict[str, Callable[..., Any]] = {
    "negative": operator.neg,
    "absolute": abs,
    "exp": np.exp,
    "tanh": np.tanh,
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(),
    "len": len,
    "ndim": lambda x: x.ndim,
    "width": lambda x: x.dtype.itemsize,
    "float": float,
    "int": int,
    "item": lambda x: x.item(),
}


def program(steps: list[list[Any]], begun: list[int]) -> Callable[..., Any]:
    """Return a function that runs steps on its arguments; `begun` gets how many it has begun.

    A step names an operation and the registers it reads: first the arguments, then the result of
    each step. ``["const", 3]`` is a number, ``["size", r, i]`` a size, ``["if", r, a, b]`` what
    register a or b holds. ``["give", a, b, ...]`` ends it: one register, or several as a tuple;
    ``"give list"`` and ``"give tuple"`` give these also for one.
    """

    def fn(*args: Any) -> Any:
        registers = list(args)
        for number, (name, *operands) in enumerate(steps):
            begun[:] = [number + 1]
            if name == "const":
                registers.append(operands[0])
            elif name == "size":
                registers.append(registers[operands[0]].shape[operands[1]])
            elif name == "if":
                if registers[operands[0]]:
                    registers.append(registers[operands[1]])
                else:
                    registers.append(registers[operands[2]])
            elif name == "where":
                registers.append(np.where(*(registers[place] for place in operands)))
            elif name.startswith("give"):
                given = [registers[place] for place in operands]
                if name == "give":
                    return given[0] if len(given) == 1 else tuple(given)
                return given if name == "give list" else tuple(given)
            else:
                function = _BINARY.get(name) or _UNARY[name]
                registers.append(function(*(registers[place] for place in operands)))
        raise ValueError("the program gives nothing")

    return fn


def captured(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Capture each program; say what came back, or which error, and how far the program got."""
    answers = []
    for one in case["programs"]:
        begun: list[int] = [0]
        fn = program(one["steps"], begun)
        args = [arg.T if isinstance(arg, np.ndarray) and one.get("transposed") else arg
                for arg in one["args"]]  # fmt: skip
        before = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
        answer = _answered(
            lambda fn=fn, args=args, one=one: stage.capture(fn, *args, **one["named"])
        )
        answer["begun"] = begun[0]
        pairs = [(a, b) for a, b in zip(args, before, strict=True) if isinstance(a, np.ndarray)]
        answer["kept"] = all(np.array_equal(a, b) for a, b in pairs)
        answers.append(answer)
    return answers


def guarded(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Ask guard_failure about each pair of example and call; places become tuples."""

    def ask(one: dict[str, Any]) -> Any:
        kinds = next(collections)
        places = {
            key: kind(tuple(place) for place in one[key])
            for key, kind in zip(("dynamic", "shared"), kinds, strict=True)
        }
        return stage.guard_failure(_arguments(one["example"]), _arguments(one["args"]), **places)

    # whichever collection it is
    collections = itertools.cycle([(list, tuple), (set, list), (tuple, frozenset)])
    return [_answered(lambda one=one: ask(one)) for one in case["cases"]]


def logged(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Ask compile_log about each sequence of calls."""

    def ask(one: dict[str, Any]) -> Any:
        made = map(_arguments, one["calls"])
        calls = [list(call) if number % 2 else call for number, call in enumerate(made)]
        return stage.compile_log(calls, **one["named"])

    return [_answered(lambda one=one: ask(one)) for one in case["cases"]]


def _arguments(described: list[Any]) -> tuple[Any, ...]:
    """Return arguments; an array is described by its shape and dtype."""
    return tuple(
        np.ones(item["shape"], item["dtype"]) if isinstance(item, dict) else item
        for item in described
    )


def _answered(ask: Callable[[], Any]) -> dict[str, Any]:
    """Return the value, or the names of the error's classes and its message."""
    try:
        return {"value": ask()}
    except NotImplementedError:
        raise
    except Exception as error:  # which one is judged by the driver
        return {"raised": [kind.__name__ for kind in type(error).__mro__], "message": str(error)}
