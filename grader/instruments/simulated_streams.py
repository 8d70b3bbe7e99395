"""A device with several streams, events and an allocator, in whole microseconds that never waver.

`SimulatedStreams` has the clock of a host and, for each stream, the moment when it is free again.
Work is handed over with `work` and takes the time it is told to; `upload` copies a tensor at the
rate of a link. Nobody waits who was not told to: events, `wait_event` and `synchronize` mean what
they mean on CUDA. Beside the clocks it keeps, for each stream and for the host, what has been done
*for sure* (a vector clock), so that an order which holds by luck is found as well:

- work that reads an upload which it does not wait for;
- an upload into memory that work in another stream may still be reading. Memory belongs to the
  stream it was made in, and comes back to it when Python drops the tensor, unless `record_stream`
  was told who else uses it.

Such things are collected in `hazards`. Blind to: operators (use `simulated_device` for real ones),
kernels that share the device (streams here never slow each other), memory limits, and the figures
of any real device.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from torch.utils.weak import WeakIdKeyDictionary

Done = dict[int, int]
"""For each stream, how many of its ops are over for sure."""

USED_EARLY = "work read a tensor whose upload it did not wait for"
WRITTEN_EARLY = "memory was given to a new upload while work that reads it may still be queued"


@dataclass(slots=True)
class _Block:
    """Device memory: where it was made, who wrote and read it last, and when it is free."""

    owner: int
    size: int
    written: tuple[int, int]
    reads: list[tuple[int, int]] = field(default_factory=list)
    users: set[int] = field(default_factory=set)
    free_from: int = 0


class Stream:
    """A queue of the device; work in it runs in order."""

    def __init__(self, device: SimulatedStreams, number: int) -> None:
        self._device, self.number = device, number
        self.free_at = 0
        self.ops = 0
        self.done: Done = {}

    def wait_event(self, event: Event) -> None:
        """Let the next work in this stream wait for a mark; the host goes on."""
        if event.time is not None:  # an event that was never recorded is no obstacle on CUDA either
            self.free_at = max(self.free_at, event.time)
            _merge(self.done, event.done)

    def wait_stream(self, stream: Stream) -> None:
        """Let the next work in this stream wait for all that the other one has now."""
        self.wait_event(stream.record_event())

    def record_event(self, event: Event | None = None) -> Event:
        """Put a mark behind what is in this stream now, and return it."""
        event = event or self._device.event()
        event.record(self)
        return event

    def synchronize(self) -> None:
        """Let the host wait for what is in this stream."""
        self.record_event().synchronize()


class Event:
    """A mark in a stream, as ``torch.cuda.Event(enable_timing=True)``."""

    def __init__(self, device: SimulatedStreams) -> None:
        self._device = device
        self.time: int | None = None
        self.done: Done = {}

    def record(self, stream: Stream | None = None) -> None:
        """Put the mark behind what is in a stream now, the current one unless named."""
        stream = stream or self._device.current_stream()
        self.time = max(self._device.host, stream.free_at)
        self.done = dict(stream.done)
        self._device.history.append("event")

    def wait(self, stream: Stream | None = None) -> None:
        """Let a stream, the current one unless named, wait for the mark."""
        (stream or self._device.current_stream()).wait_event(self)

    def query(self) -> bool:
        """Whether the device has reached the mark."""
        return self.time is None or self.time <= self._device.host

    def synchronize(self) -> None:
        """Let the host wait for the mark."""
        self._device.wait_for(self.time or 0, self.done)

    def elapsed_time(self, later: Event) -> float:
        """Return the time from this mark to a later one [ms].

        Raises:
            RuntimeError: If one is not recorded, or the device has not reached both.
        """
        if self.time is None or later.time is None:
            raise RuntimeError("both events must be recorded before their times are read")
        if not (self.query() and later.query()):
            raise RuntimeError("the device has not reached both events: synchronize first")
        return (later.time - self.time) / 1000


class SimulatedStreams:
    """The device, the host's clock, and what they have done.

    Attributes:
        host: The host's clock [us].
        resolution: Smallest step of `now` [s]; 0.0 if it has none.
        waits: How often the host waited.
        history: ``"now"``, ``"sync"``, ``"work"``, ``"upload"``, ``"event"`` in their order.
        hazards: What was not ordered for sure, in words.
    """

    asynchronous = True

    def __init__(self, launch: int = 5, sync: int = 1, link: int = 100, tick: int = 0) -> None:
        """Start at 0.

        Args:
            launch: Host time of handing anything over [us].
            sync: Host time of a wait in itself [us].
            link: Rate of a copy [B/us].
            tick: Step of the host's clock as `now` shows it [us]; 0 for none.
        """
        self.host, self.waits = 0, 0
        self.resolution = tick / 1_000_000
        self.history: list[str] = []
        self.hazards: list[str] = []
        self._launch, self._sync, self._link, self._tick = launch, sync, link, tick
        self._host_done: Done = {}
        self._streams: list[Stream] = []
        self._current = self.stream()
        self._blocks: Any = WeakIdKeyDictionary()
        self._free: list[_Block] = []

    def now(self) -> float:
        """Return the host's clock [s]."""
        self.history.append("now")
        steps = self.host // self._tick * self._tick if self._tick else self.host
        return steps / 1_000_000

    def stream(self) -> Stream:
        """Return a new stream."""
        self._streams.append(Stream(self, len(self._streams)))
        return self._streams[-1]

    def current_stream(self) -> Stream:
        """Return the stream into which work goes now."""
        return self._current

    @contextmanager
    def on(self, stream: Stream) -> Iterator[None]:
        """Let work go into another stream for a while."""
        before, self._current = self._current, stream
        try:
            yield
        finally:
            self._current = before

    def event(self) -> Event:
        """Return a new event."""
        return Event(self)

    def synchronize(self) -> None:
        """Let the host wait for everything."""
        done: Done = {}
        for stream in self._streams:
            _merge(done, stream.done)
        self.wait_for(max(stream.free_at for stream in self._streams), done)

    def wait_for(self, moment: int, done: Done) -> None:
        """Let the host wait until a moment [us], after which something is done for sure."""
        self.history.append("sync")
        self.waits += 1
        self.host = max(self.host, moment) + self._sync
        _merge(self._host_done, done)

    def work(self, device: int, reads: Iterable[Any] = (), launch: int | None = None) -> None:
        """Hand work of a duration [us], which reads some tensors, over to the current stream."""
        self.history.append("work")
        op = self._queue(device, self._launch if launch is None else launch)
        for tensor in reads:
            block = self._blocks.get(tensor.untyped_storage())
            if block is None:
                continue
            if not _over(self._current.done, block.written):
                self.hazards.append(USED_EARLY)
            block.reads.append(op)

    def upload(self, tensor: Any) -> Any:
        """Return a copy of a host tensor, made in the current stream."""
        self.history.append("upload")
        size = tensor.numel() * tensor.element_size()
        block = self._memory(size)
        block.written = self._queue(math.ceil(size / self._link), self._launch)
        block.reads, block.users = [], set()
        copy = tensor.clone()
        self._blocks[copy.untyped_storage()] = block
        weakref.finalize(copy.untyped_storage(), self._give_back, block)
        return copy

    def record_stream(self, tensor: Any, stream: Stream) -> None:
        """Let a tensor's memory stay in use until what a stream has at its end is over."""
        block = self._blocks.get(tensor.untyped_storage())
        if block is not None and stream.number != block.owner:
            block.users.add(stream.number)

    def _queue(self, duration: int, launch: int) -> tuple[int, int]:
        """Launch an op into the current stream; return which one it is."""
        stream = self._current
        self.host += launch
        stream.free_at = max(stream.free_at, self.host) + duration
        _merge(stream.done, self._host_done)
        stream.ops += 1
        stream.done[stream.number] = stream.ops
        return stream.number, stream.ops

    def _memory(self, size: int) -> _Block:
        """Return a block of the current stream: one that came back, if there is one, or a new."""
        stream = self._current
        for block in self._free:
            if block.owner == stream.number and block.size == size and size:
                if block.free_from > self.host:
                    continue
                self._free.remove(block)
                certain = {**stream.done}
                _merge(certain, self._host_done)
                unsafe = [read for read in block.reads if read[0] not in block.users]
                if not all(_over(certain, read) for read in unsafe):
                    self.hazards.append(WRITTEN_EARLY)
                return block
        return _Block(stream.number, size, (stream.number, 0))

    def _give_back(self, block: _Block) -> None:
        """Take a dropped tensor's memory back; those who were recorded are waited for."""
        users = [self._streams[number].free_at for number in block.users]
        block.free_from = max(users, default=0)
        self._free.append(block)


def answers_known_question() -> bool:
    """Whether two streams overlap, an event orders them, and a missing one is a hazard."""
    import torch

    device = SimulatedStreams(launch=0, sync=0, link=1)
    side = device.stream()
    with device.on(side):
        tensor = device.upload(torch.zeros(5))
    device.work(7)
    device.work(1, [tensor])
    device.current_stream().wait_stream(side)
    device.work(1, [tensor])
    device.synchronize()
    return device.hazards == [USED_EARLY] and device.host == 21


def _merge(into: Done, other: Done) -> None:
    """Add to what is done what another knows."""
    for stream, count in other.items():
        into[stream] = max(into.get(stream, 0), count)


def _over(done: Done, op: tuple[int, int]) -> bool:
    """Whether an op is over for sure."""
    return done.get(op[0], 0) >= op[1]
