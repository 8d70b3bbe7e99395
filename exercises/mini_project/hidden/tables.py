"""A run on a device that works on its own, as the driver computes it: no student code here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

PHASES = ("data_wait", "forward", "backward", "update")


def costs(
    draw: Any, steps: int, wait: tuple[float, float] = (0.001, 0.003)
) -> list[dict[str, Any]]:
    """Draw what each phase of each step costs: the wait, or launch on the host and work [s]."""
    return [
        {
            "data_wait": round(draw.uniform(*wait), 6),
            **{
                phase: [round(draw.uniform(0.0005, 0.001), 6), round(draw.uniform(low, high), 6)]
                for phase, low, high in (
                    ("forward", 0.01, 0.02),
                    ("backward", 0.03, 0.05),
                    ("update", 0.005, 0.009),
                )
            },
        }
        for _ in range(steps)
    ]


def table_of(case: Mapping[str, Any], unsynced: str | None = None) -> dict[str, list[float]]:
    """Return the table of a run: after each phase the host waits, but for the one unsynced."""
    now = case["start"]
    free = now + case["queued"]
    table: dict[str, list[float]] = {phase: [] for phase in PHASES}
    for number, cost in enumerate(case["costs"]):
        timed = number >= case["warmup"]
        if number == case["warmup"]:
            now = max(now, free)
        for phase in PHASES:
            last = now
            if phase == "data_wait":
                now += cost[phase]
            else:
                host, work = cost[phase]
                now += host
                free = max(free, now) + work
            if timed and phase != unsynced:
                now = max(now, free)
            if timed:
                table[phase].append(now - last)
    return table


def medians(table: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return the median of each phase."""
    from statistics import median

    return {phase: median(table[phase]) for phase in PHASES}
