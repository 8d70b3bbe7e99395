"""One moment on three clocks: wall, CPU, and the time this thread waited for a CPU.

Wall time less run-queue delay is what a phase takes on a quiet machine: it leaves computing and
voluntary waits (sleep, input) and takes out the time in which another task had the CPU. Linux
counts that delay for each thread in ``/proc/thread-self/schedstat``.

Blind to: delay of other threads (keep torch at one thread), a virtual machine's own lost time, and
slower running under load (shared caches, clock frequency). Where the kernel has no such file the
delay stays 0 and the clock says so with its name.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from types import TracebackType

LESS_DELAY = "wall less run-queue delay"
WALL = "wall"

_SCHEDSTAT = "/proc/thread-self/schedstat"
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Stamp:
    """A moment, or the span between two moments.

    Attributes:
        wall: A monotonic clock [ns].
        cpu: CPU time of the process [ns].
        delay: Time this thread was runnable without a CPU [ns].
    """

    wall: int
    cpu: int
    delay: int

    @property
    def less_delay(self) -> int:
        """Wall time without the waits for a CPU [ns]; of a span, never negative."""
        return max(self.wall - self.delay, 0)

    def since(self, earlier: Stamp) -> Stamp:
        """Return the span from `earlier` to this moment."""
        return Stamp(self.wall - earlier.wall, self.cpu - earlier.cpu, self.delay - earlier.delay)


class Clock:
    """Takes stamps of the thread that made it; close it, or use it in a ``with``.

    The clocks are bound when the module is imported: code that replaces `time.perf_counter_ns`
    later changes nothing here.
    """

    def __init__(self) -> None:
        """Open the thread's own delay counter, if there is one."""
        self._file: int | None = None
        if hasattr(os, "pread"):
            with contextlib.suppress(OSError):
                self._file = os.open(_SCHEDSTAT, os.O_RDONLY)
        if self._file is not None and self._delay() is None:
            self.close()

    @property
    def name(self) -> str:
        """`LESS_DELAY` when the delay is known, `WALL` when it is not."""
        return WALL if self._file is None else LESS_DELAY

    def stamp(self) -> Stamp:
        """Return this moment.

        Threads lose the CPU at system calls, so the delay is read before and after the clocks,
        again until both agree.
        """
        before = self._delay()
        for _ in range(_TRIES):
            wall, cpu = _wall(), _cpu()
            after = self._delay()
            if before == after:
                break
            before = after
        return Stamp(wall, cpu, after or 0)

    def close(self) -> None:
        """Give the counter back."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Clock:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    def _delay(self) -> int | None:
        """Return the time waited so far [ns], None when the kernel does not say."""
        if self._file is None:
            return None
        try:
            return int(os.pread(self._file, 64, 0).split()[1])
        except (OSError, IndexError, ValueError):
            return None


def answers_known_question() -> bool:
    """Whether a sleep of a millisecond takes at least that long, and no clock runs backwards."""
    with Clock() as clock:
        before = clock.stamp()
        _sleep(0.001)
        span = clock.stamp().since(before)
    return span.wall >= 1_000_000 and span.cpu >= 0 and span.delay >= 0


_wall, _cpu, _sleep = time.perf_counter_ns, time.process_time_ns, time.sleep
