"""A model of CUDA's caching allocator by addresses, to hold other models against.

Each segment is a map from offsets to free gaps; what lies next to what follows from the offsets, so
that nothing has to be joined or split by hand. One device, one stream, default settings: no
expandable segments, no roundup of sizes, no limit on splitting.

Blind to: streams and events (a block freed on another stream comes back later), CUDA graphs,
garbage collection thresholds, and where the driver puts a segment (they are taken in their order).

Source: c10/cuda/CUDACachingAllocator.cpp and c10/core/AllocatorConfig.h of torch 2.13.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

KIB, MIB = 2**10, 2**20
_BLOCK = 512


class OutOfMemory(MemoryError):  # noqa: N818 - the name that torch gives it
    """The limit does not allow what was asked for, even after cached segments were returned."""


@dataclass(slots=True)
class _Segment:
    """A stretch of memory from the driver: used blocks by offset, the rest is free."""

    size: int
    small: bool
    used: dict[int, int] = field(default_factory=dict)

    def gaps(self) -> list[tuple[int, int]]:
        """Return size and offset of each free gap, from front to back."""
        gaps, at = [], 0
        for offset in sorted(self.used):
            if offset > at:
                gaps.append((offset - at, at))
            at = offset + self.used[offset]
        if at < self.size:
            gaps.append((self.size - at, at))
        return gaps


class AllocatorModel:
    """Serves requests as the caching allocator does and counts its bytes."""

    def __init__(self, limit: int | None = None) -> None:
        """Start with nothing reserved; `limit` is the most that may be [B]."""
        self._limit = limit
        self._segments: list[_Segment] = []
        self._living: dict[int, tuple[int, _Segment | None, int]] = {}
        self._made = 0
        self._peaks = [0, 0]

    def malloc(self, nbytes: int) -> int:
        """Allocate and return a handle.

        Raises:
            OutOfMemory: If the limit is in the way.
        """
        segment, offset = (None, 0) if nbytes == 0 else self._place(-(-nbytes // _BLOCK) * _BLOCK)
        self._made += 1
        self._living[self._made] = (nbytes, segment, offset)
        self._peaks = [max(self._peaks[0], self.allocated), max(self._peaks[1], self.reserved)]
        return self._made

    def free(self, handle: int) -> None:
        """Free a block; it stays reserved."""
        _, segment, offset = self._living.pop(handle)
        if segment is not None:
            del segment.used[offset]

    def empty_cache(self) -> None:
        """Return the segments without a used block."""
        self._segments = [segment for segment in self._segments if segment.used]

    def reset_peak(self) -> None:
        """Let the peaks begin at what is there now."""
        self._peaks = [self.allocated, self.reserved]

    @property
    def allocated(self) -> int:
        """Sizes of all used blocks [B]."""
        return sum(sum(segment.used.values()) for segment in self._segments)

    @property
    def reserved(self) -> int:
        """Sizes of all segments [B]."""
        return sum(segment.size for segment in self._segments)

    def stats(self) -> dict[str, int]:
        """Return requested, allocated, reserved, what is free and the two peaks [B]."""
        gaps = {id(segment): segment.gaps() for segment in self._segments}
        return {
            "requested": sum(nbytes for nbytes, _, _ in self._living.values()),
            "allocated": self.allocated,
            "reserved": self.reserved,
            "inactive_split": sum(
                size for s in self._segments if s.used for size, _ in gaps[id(s)]
            ),
            "largest_free": max((size for found in gaps.values() for size, _ in found), default=0),
            "peak_allocated": self._peaks[0],
            "peak_reserved": self._peaks[1],
        }

    def _place(self, size: int) -> tuple[_Segment, int]:
        small = size <= MIB
        found = [
            (gap, number, offset)
            for number, segment in enumerate(self._segments)
            if segment.small == small
            for gap, offset in segment.gaps()
            if gap >= size
        ]
        if found:
            gap, number, offset = min(found)
            segment = self._segments[number]
        else:
            segment, offset = self._grow(size, small=small), 0
            gap = segment.size
        least = _BLOCK if small else MIB + 1
        segment.used[offset] = size if gap - size >= least else gap
        return segment, offset

    def _grow(self, size: int, *, small: bool) -> _Segment:
        wanted = (
            2 * MIB if small else 20 * MIB if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB
        )
        if self._limit is not None and self.reserved + wanted > self._limit:
            self.empty_cache()
            if self.reserved + wanted > self._limit:
                raise OutOfMemory(f"{wanted} B more than {self.reserved} B exceed {self._limit} B")
        self._segments.append(_Segment(wanted, small))
        return self._segments[-1]


def replay(
    operations: Iterable[Sequence[int | str]], limit: int | None = None
) -> list[dict[str, int]]:
    """Return the stats after each of some operations on a fresh model.

    Args:
        operations: ``("malloc", bytes)``, ``("free", number of the malloc, from 0)``,
            ``("empty_cache",)`` or ``("reset_peak",)``. A malloc that fails gets a number as well.
        limit: The most that may be reserved [B].

    Returns:
        One dict an operation; after a malloc that failed it has ``"failed": 1`` besides.
    """
    model, handles, seen = AllocatorModel(limit), [], []
    for name, *arguments in operations:
        failed = False
        if name == "malloc":
            try:
                handles.append(model.malloc(int(arguments[0])))
            except OutOfMemory:
                handles.append(0)
                failed = True
        elif name == "free":
            model.free(handles[int(arguments[0])])
        elif name == "empty_cache":
            model.empty_cache()
        else:
            model.reset_peak()
        seen.append(model.stats() | ({"failed": 1} if failed else {}))
    return seen


def answers_known_question() -> bool:
    """Whether three blocks of 6 MiB, the middle one freed, and one of 7 MiB reserve 40 MiB."""
    blocks = [("malloc", 6 * MIB)] * 3
    stats = replay([*blocks, ("free", 1), ("malloc", 7 * MIB)])[-1]
    return (stats["allocated"], stats["reserved"]) == (19 * MIB, 40 * MIB)
