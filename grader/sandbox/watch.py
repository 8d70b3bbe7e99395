"""The driver's watch over a running worker: time, processor time, memory, processes, files."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from pathlib import Path

from grader.sandbox import orphans, usage
from grader.sandbox.answer import Status
from grader.sandbox.limits import TOO_MANY_PROCESSES, Limits

TICK = 0.05  # [s] between two looks at memory, processor time and processes
FOLDER_TICK = 0.5  # [s] between two looks at the scratch folder


class Halt(Exception):  # noqa: N818 - an outcome of a call, not an error of the driver
    """A call is over without an answer."""

    def __init__(self, status: Status, sentence: str) -> None:
        """Keep what the answer will say."""
        super().__init__(sentence)
        self.status: Status = status
        self.sentence = sentence


class Watch:
    """What one worker held when it was ready, and what it may take beyond that."""

    def __init__(
        self, pid: int, scratch: Path, *, may_fork: bool, strangers: Callable[[], Collection[int]]
    ) -> None:
        """Look at the worker before a line of the student's has run.

        Args:
            pid: The worker, as the driver's machine numbers it.
            scratch: Its folder.
            may_fork: Whether it could start processes: allowed to, or behind no wall.
            strangers: Tells the other workers of the same zygote.
        """
        self._pid = pid
        self._scratch = scratch
        self._looks_around = may_fork and usage.LINUX
        self._strangers = strangers
        self._memory = usage.resident(pid)
        self._data = usage.data(pid) if usage.LINUX else 0
        self._folder = usage.folder_size(scratch)
        self.begin(Limits())

    def begin(self, limits: Limits) -> None:
        """Start a call with these limits."""
        self._limits = limits
        self._cpu = self._total(self._family())
        usage.limit(
            self._pid, memory=self._data + limits.memory, cpu_seconds=self._cpu + limits.cpu
        )
        self.started = time.monotonic()
        self._deadline = self.started + limits.wall
        self._next = self.started + TICK
        self._next_folder = self.started + FOLDER_TICK

    def cpu_of_call(self) -> float:
        """Return the processor time of the worker and its family since `begin` [s]."""
        return self._total(self._family()) - self._cpu

    def cpu_of_ended_call(self, total: float) -> float:
        """Return the same from the worker's total, which the system knew at its end [s]."""
        return max(0.0, total - self._cpu)

    def look(self) -> float:
        """Compare what the worker uses with its limits; return when to look again, in [s].

        Raises:
            Halt: A limit was met.
        """
        now = time.monotonic()
        if now >= self._deadline:
            raise Halt("stopped", self._limits.over_wall())
        if now >= self._next:
            self._look_closely()
            self._next = now + TICK
        if now >= self._next_folder:
            if usage.folder_size(self._scratch) - self._folder > self._limits.folder:
                raise Halt("stopped", self._limits.over_folder())
            self._next_folder = now + FOLDER_TICK
        return min(self._deadline, self._next) - now

    def _look_closely(self) -> None:
        family = self._family()
        if len(family) > self._limits.processes:
            raise Halt("stopped", TOO_MANY_PROCESSES)
        if self._total(family) - self._cpu > self._limits.cpu:
            raise Halt("stopped", self._limits.over_cpu())
        most = self._memory + self._limits.memory
        if sum(map(usage.resident, family)) <= most:
            return
        # Children share pages with their parent; only when the cheap sum is too large is it
        # worth counting each page once.
        if len(family) == 1 or usage.together(family) > most:
            raise Halt("stopped", self._limits.over_memory())

    def _family(self) -> Collection[int]:
        if not self._looks_around:
            return (self._pid,)
        return (self._pid, *orphans.family(self._pid, self._strangers()))

    def _total(self, family: Collection[int]) -> float:
        own = sum(map(usage.cpu, family))
        return own + (sum(map(usage.cpu_of_children, family)) if self._looks_around else 0.0)
