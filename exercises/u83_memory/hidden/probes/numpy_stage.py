"""Any function of the NumPy stage, and the allocator of 8.3.d."""

from __future__ import annotations

from typing import Any

from grader.instruments.calls import calls

STATS = (
    "requested",
    "allocated",
    "reserved",
    "inactive_split",
    "largest_free",
    "peak_allocated",
    "peak_reserved",
)


def numpy_calls(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Call one function many times with NumPy's integers for Python's, and tuples for lists."""
    return calls(stage, {**case, "calls": _as_numpy(case["calls"], case["kind"])})


def replayed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run operations on a fresh allocator; return its stats after each, in columns."""
    made_with, operations = case["made_with"], case["operations"]
    if case.get("numpy"):
        made_with, operations = _as_numpy([made_with, operations], "narrow")
    allocator = stage.CachingAllocator(*made_with)
    handles: list[Any] = []
    first = allocator.stats()
    begin = repr(first)
    raised, columns, odd = [], {key: [] for key in STATS}, None
    for name, *arguments in operations:
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
    seen = {"columns": columns, "raised": raised, "handles": handles, "odd": odd}
    return {**seen, "first_kept": repr(first) == begin}


def _as_numpy(value: Any, kind: str) -> Any:
    """Return plain data with NumPy's integers for Python's, and tuples for lists.

    Args:
        value: Plain data.
        kind: ``"int64"``, or ``"narrow"`` for the narrowest type that holds each number.
    """
    import numpy as np

    if isinstance(value, dict):
        return {key: _as_numpy(item, kind) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_as_numpy(item, kind) for item in value)
    if type(value) is not int:
        return value
    return np.int64(value) if kind == "int64" else np.min_scalar_type(value).type(value)
