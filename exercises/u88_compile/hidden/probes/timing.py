"""steady_state with a clock that stands still except where a call takes time."""

from __future__ import annotations

from typing import Any


def steady(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time a function whose calls take what the case says; the last cost goes on for ever."""
    costs, now, calls = case["costs"], [case.get("start", 0.0)], [0]

    def fn() -> None:
        now[0] += costs[min(calls[0], len(costs) - 1)]
        calls[0] += 1

    def clock() -> float:
        now[0] += case.get("reading", 0.0)
        return now[0]

    try:
        return {"answer": stage.steady_state(fn, clock=clock, **case["named"]), "calls": calls[0]}
    except ValueError as error:
        return {"refused": str(error), "calls": calls[0]}
