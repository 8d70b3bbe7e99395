"""A device with a clock that never wavers: real operators on the CPU, simulated time in integers.

`SimulatedDevice` is a dispatch mode. Inside it every operator runs as usual, and is charged to two
clocks: the host pays `launch` and goes on, the device begins when it is free and takes as long as
the operator's FLOPs or bytes demand, whichever is longer. The host waits only where it would wait
on a GPU: `synchronize`, a copy from pageable memory, ``.item()`` and the like. So the same timing
code gives the same digits in every run, and moving one sync moves the time of a whole phase.

What counts as "on the device": the tensors of an adopted module, the result of `to_device`, and
everything computed from them. Work on other tensors (batches before the transfer, the optimizer's
step counters) is the host's own and costs nothing.

Blind to: the host's own Python time, several streams, kernels that overlap, memory limits, and the
figures of any real GPU: the rates are made up, only the order of events is meant. Counts follow the
operators that this torch version runs, so compare numbers of one process only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode
from torch.utils.weak import WeakIdKeyDictionary

from grader.instruments.flops import cpu_attention_formulas
from grader.instruments.host_syncs import sync_name

_TO_HOST = frozenset({"cpu", "tolist", "numpy", "__array__", "__repr__", "__str__", "__format__"})
"""Syncs that a dispatch mode does not see on a CPU tensor."""

_SYNCS = frozenset(
    {
        "_local_scalar_dense",
        "nonzero",
        "masked_select",
        "_unique2",
        "equal",
        "allclose",
        "repeat_interleave",
    }
)
"""Operators whose result or its size the host must know."""


@dataclass(frozen=True, slots=True)
class Rates:
    """What work costs.

    Attributes:
        launch: Host time to launch one operator [ns].
        shortest: Least device time of one operator [ns].
        flops: Rate of arithmetic [FLOP/us].
        memory: Rate of reading and writing device memory [B/us].
        link: Rate of a copy between host and device [B/us].
        sync: Host time of a wait that finds nothing to wait for [ns].
    """

    launch: int = 5_000
    shortest: int = 2_000
    flops: int = 10_000
    memory: int = 100_000
    link: int = 10_000
    sync: int = 1_000


@dataclass(frozen=True, slots=True)
class Wait:
    """One time the host waited for the device.

    Attributes:
        name: ``"synchronize"``, ``"copy"``, or the operator that made it wait.
        waited: [ns].
    """

    name: str
    waited: int


class SimulatedEvent:
    """A mark in the device's queue, as ``torch.cuda.Event(enable_timing=True)``."""

    def __init__(self, device: SimulatedDevice) -> None:
        """Make an event that is not recorded yet."""
        self._device = device
        self.time: int | None = None

    def record(self) -> None:
        """Put the mark behind what is queued now."""
        self.time = max(self._device.host, self._device.free_at)

    def synchronize(self) -> None:
        """Let the host wait until the device has reached the mark."""
        self._device.wait_until(self._recorded(), "event")

    def elapsed_time(self, later: SimulatedEvent) -> float:
        """Return the device time between two marks [ms].

        Raises:
            RuntimeError: If one is not recorded, or the host has not waited for both.
        """
        begin, end = self._recorded(), later._recorded()
        if max(begin, end) > self._device.host:
            raise RuntimeError("the device has not reached both events; synchronize first")
        return (end - begin) / 1e6

    def _recorded(self) -> int:
        if self.time is None:
            raise RuntimeError("the event is not recorded")
        return self.time


class SimulatedDevice(TorchDispatchMode):  # type: ignore[misc]  # torch is not seen by mypy
    """While entered, charges every operator on device tensors to the simulated clocks.

    Attributes:
        host: The host's clock [ns].
        free_at: When the device has finished all that is queued [ns].
        launches: Operators launched.
        waits: Every time the host waited, in order.
    """

    def __init__(self, rates: Rates | None = None) -> None:
        """Start both clocks at 0."""
        super().__init__()
        self.rates = rates or Rates()
        self.host = self.free_at = self.launches = 0
        self.waits: list[Wait] = []
        self._resident: Any = WeakIdKeyDictionary()
        self._flops = FlopCounterMode(
            display=False, custom_mapping=cpu_attention_formulas()
        ).flop_registry
        self._calls = _HostCalls(self)

    def __enter__(self) -> SimulatedDevice:
        """Begin to charge."""
        self._calls.__enter__()
        super().__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        """Stop; the clocks keep their time."""
        super().__exit__(*error)
        self._calls.__exit__(*error)

    def now(self) -> int:
        """Return the host's clock [ns]; stands in for ``time.perf_counter_ns``."""
        return self.host

    def synchronize(self) -> None:
        """Let the host wait for everything that is queued."""
        self.wait_until(self.free_at, "synchronize")

    def event(self) -> SimulatedEvent:
        """Return a new event of this device."""
        return SimulatedEvent(self)

    def adopt(self, module: torch.nn.Module) -> None:
        """Put a module's parameters and buffers on the device, free of charge."""
        self._settle([*module.parameters(), *module.buffers()])

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor is on the device."""
        return tensor.untyped_storage() in self._resident

    def to_device(
        self, tensor: torch.Tensor, *, pinned: bool = False, non_blocking: bool = False
    ) -> torch.Tensor:
        """Return a copy of a host tensor on the device.

        Only a non-blocking copy from pinned memory returns at once. Every other copy comes after
        all that is queued, and the host waits for it: a copy pays for the work before it.
        """
        copy = self._copy(tensor)
        self._settle([copy])
        done = self._queue(_divide(_bytes([tensor]), self.rates.link))
        if not (pinned and non_blocking):
            self.wait_until(done, "copy")
        return copy

    def to_host(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return a copy on the host, which waits for it."""
        done = self._queue(_divide(_bytes([tensor]), self.rates.link))
        self.wait_until(done, "copy")
        return self._copy(tensor)

    def wait_until(self, moment: int, name: str) -> None:
        """Let the host wait until a moment on the device's clock [ns]."""
        waited = max(moment - self.host, 0)
        self.host += waited + self.rates.sync
        self.waits.append(Wait(name, waited))

    def __torch_dispatch__(
        self,
        func: Any,
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run the operator, charge it, and wait if a GPU would make the host wait."""
        kwargs = kwargs or {}
        inputs = _tensors((args, kwargs))
        result = func(*args, **kwargs)
        if not any(self.holds(tensor) for tensor in inputs):
            return result
        outputs = _tensors(result)
        self._settle(outputs)
        name = func._schema.name.removeprefix("aten::")
        masks = name in ("index", "index_put", "index_put_") and _masked(inputs[1:])
        waits = name in _SYNCS or masks
        if name == "_local_scalar_dense":
            self._queue(_divide(_bytes(inputs), self.rates.link))
        elif not _is_view(func, inputs, outputs):
            self._queue(self._duration(func, args, kwargs, result))
        if waits:
            self.wait_until(self.free_at, "mask index" if masks else name)
        return result

    def _duration(
        self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> int:
        """Return how long the device takes for one operator [ns]."""
        formula = self._flops.get(func._overloadpacket)
        flops = int(formula(*args, **kwargs, out_val=result)) if formula else 0
        moved = _bytes(_tensors((args, kwargs, result)))
        return max(_divide(flops, self.rates.flops), _divide(moved, self.rates.memory))

    def _queue(self, duration: int) -> int:
        """Launch work of a duration; return the moment it is done [ns]."""
        self.host += self.rates.launch
        self.launches += 1
        self.free_at = max(self.free_at, self.host) + max(duration, self.rates.shortest)
        return self.free_at

    def _settle(self, tensors: Iterable[torch.Tensor]) -> None:
        """Note that these tensors' storages are on the device."""
        for tensor in tensors:
            self._resident[tensor.untyped_storage()] = True

    def _copy(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return a copy that is not charged."""
        with torch.utils._python_dispatch._disable_current_modes():
            return tensor.clone()


class _HostCalls(TorchFunctionMode):  # type: ignore[misc]  # torch is not seen by mypy
    """Lets the host wait at the calls that a dispatch mode does not see."""

    def __init__(self, device: SimulatedDevice) -> None:
        super().__init__()
        self._device = device

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        name = sync_name(func, args, kwargs or {})
        if name in _TO_HOST and self._device.holds(args[0]):
            args = (self._device.to_host(args[0]), *args[1:])
        return func(*args, **(kwargs or {}))


def answers_known_question() -> bool:
    """Whether two additions and a wait take what the rates say."""
    device = SimulatedDevice(Rates(launch=5, shortest=20, sync=1))
    with device:
        value = device.to_device(torch.ones(1), pinned=True, non_blocking=True)
        value.add(1).add(1)
        before = device.now()
        device.synchronize()
    return (before, device.free_at, device.now()) == (15, 65, 66)


def _tensors(values: Any) -> list[torch.Tensor]:
    """Return the tensors in nested values."""
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor)]


def _masked(indices: Iterable[torch.Tensor]) -> bool:
    """Whether an index holds a mask."""
    return any(index.dtype in (torch.bool, torch.uint8) for index in indices)


def _is_view(func: Any, inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> bool:
    """Whether an operator moves no data: it writes nothing, and only shares an input's storage."""
    if func._schema.is_mutable:
        return False
    storages = {tensor.untyped_storage()._cdata for tensor in inputs}
    return all(tensor.untyped_storage()._cdata in storages for tensor in outputs)


def _bytes(tensors: Iterable[torch.Tensor]) -> int:
    """Return the size of tensors [B]."""
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def _divide(amount: int, rate_per_us: int) -> int:
    """Return the time that an amount takes at a rate, rounded up [ns]."""
    return -(-amount * 1000 // rate_per_us)
