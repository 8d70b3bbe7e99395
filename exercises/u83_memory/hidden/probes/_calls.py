"""Any function of the NumPy stage, and the allocator of 8.3.d."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

STATS = (
    "requested",
    "allocated",
    "reserved",
    "inactive_split",
    "largest_free",
    "peak_allocated",
    "peak_reserved",
)


def calls(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Call one function many times; say what each call gave, and whether it kept its arguments.

    A stub's error is let through, so that a task that is not attempted stays so.
    """
    function, answers = getattr(stage, case["function"]), []
    form = _as_numpy if case.get("numpy") else lambda value: value
    for call in case["calls"]:
        arguments, named = (form(part) for part in call)
        before = repr((arguments, named))
        answer: dict[str, Any] = {}
        try:
            answer["value"] = _rebuilt(function(*arguments, **named))
        except NotImplementedError:
            raise
        except Exception as error:  # which one is judged by the driver
            answer["raised"] = [kind.__name__ for kind in type(error).__mro__]
        answer["kept"] = repr((arguments, named)) == before
        answers.append(answer)
    return answers


def replayed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run operations on a fresh allocator; return its stats after each, in columns."""
    allocator = stage.CachingAllocator(*case["made_with"])
    handles: list[Any] = []
    raised, columns, odd = [], {key: [] for key in STATS}, None
    for name, *arguments in case["operations"]:
        kinds: list[str] = []
        try:
            if name == "malloc":
                handles.append(None)
                handles[-1] = allocator.malloc(*arguments)
            elif name == "free":
                allocator.free(handles[arguments[0]])
            elif name == "free_raw":
                allocator.free(*arguments)
            else:
                getattr(allocator, name)()
        except NotImplementedError:
            raise
        except Exception as error:  # which one is judged by the driver
            kinds = [kind.__name__ for kind in type(error).__mro__]
        raised.append(kinds)
        stats = allocator.stats()
        if not isinstance(stats, dict) or not set(STATS) <= set(stats):
            odd = stats if not isinstance(stats, dict) else sorted(map(str, stats))
            break
        for key in STATS:
            columns[key].append(stats[key])
    return {"columns": columns, "raised": raised, "handles": handles, "odd": odd}


def _as_numpy(value: Any) -> Any:
    """Return plain data with NumPy's integers for Python's, and tuples for lists."""
    import numpy as np

    if isinstance(value, dict):
        return {key: _as_numpy(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_as_numpy(item) for item in value)
    return np.int64(value) if type(value) is int else value


def _rebuilt(value: Any) -> Any:
    """Return a copy that no later call can change; a fraction becomes a number."""
    if isinstance(value, dict):
        # lists of pairs keep the order of the keys
        return {key: _rebuilt(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rebuilt(item) for item in value]
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value
