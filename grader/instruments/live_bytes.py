"""Keep a ledger of the tensor bytes that are alive, with the peak, phase by phase.

A dispatch mode sees the result of every operator, registers each new storage once, and a weak
reference takes it out when the storage dies. The figures are *live tensor bytes at operator
boundaries*: a model of an allocator, exact and repeatable, also on fake and meta tensors.

Blind to: work space inside an operator, the allocator's rounding and cache, Python and C++ objects,
storages that existed before and were not given to `track`, and a storage that is resized in place.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


@dataclass(frozen=True, slots=True)
class PhaseBytes:
    """Live bytes of one phase.

    Attributes:
        before: When it began [B].
        peak: The most within it [B].
        after: When it ended [B].
    """

    before: int
    peak: int
    after: int


class LiveBytes(TorchDispatchMode):  # type: ignore[misc]  # torch is not seen by mypy
    """While entered, follows every new storage.

    Attributes:
        live: Bytes alive now [B].
        peak: The most so far [B].
        phases: What `phase` has measured; a name used twice keeps the later one.
    """

    def __init__(self) -> None:
        """Start an empty ledger."""
        super().__init__()
        self.live = self.peak = 0
        self.phases: dict[str, PhaseBytes] = {}
        self._known: dict[int, Any] = {}
        self._phase_peak = 0

    def track(self, *things: Any) -> None:
        """Take tensors that exist already into the ledger.

        Args:
            things: Tensors, modules (parameters, buffers, gradients), optimizers (state), or nested
                lists, tuples and dicts of these.
        """
        for leaf in tree_leaves(list(things)):
            if isinstance(leaf, torch.nn.Module):
                self._module(leaf)
            elif isinstance(leaf, torch.optim.Optimizer):
                self._add(tree_leaves(list(leaf.state.values())))
            else:
                self._add([leaf])

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure the live bytes before, at most within, and after a ``with`` block."""
        before = self._phase_peak = self.live
        yield
        self.phases[name] = PhaseBytes(before, self._phase_peak, self.live)

    def __torch_dispatch__(
        self,
        func: Any,
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run the operator and register what it returns."""
        result = func(*args, **(kwargs or {}))
        self._add(tree_leaves(result))
        return result

    def _module(self, module: torch.nn.Module) -> None:
        parameters = list(module.parameters())
        gradients = [p.grad for p in parameters if p.grad is not None]
        self._add([*parameters, *module.buffers(), *gradients])

    def _add(self, leaves: Iterable[Any]) -> None:
        for leaf in leaves:
            if not isinstance(leaf, torch.Tensor):
                continue
            storage = leaf.untyped_storage()
            key = int(storage._cdata)
            if key in self._known:
                continue
            size = storage.nbytes()
            self._known[key] = weakref.finalize(storage, self._drop, key, size)
            self._known[key].atexit = False
            self.live += size
            self.peak = max(self.peak, self.live)
            self._phase_peak = max(self._phase_peak, self.live)

    def _drop(self, key: int, size: int) -> None:
        del self._known[key]
        self.live -= size


def answers_known_question() -> bool:
    """Whether one tensor of 40 bytes beside one of 80 that dies is seen as such."""
    ledger = LiveBytes()
    with ledger:
        kept = torch.zeros(10)
        dies = torch.zeros(20)
        dies.view(4, 5)
        del dies
    answer = (ledger.live, ledger.peak)
    del kept
    return answer == (40, 120) and ledger.live == 0
