"""Time the phases of one step on a simulated device, with a sync wherever the caller wants one.

The same step gives different tables when nothing but the place of a sync moves: without one, the
next step's blocking copy pays for everything. Exact digits; blind to what `simulated_device` is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from grader.instruments.simulated_device import SimulatedDevice


class SimulatedTrainer:
    """A trainer whose `transfer` copies to the simulated device; the rest is the trainer's own."""

    def __init__(self, trainer: Any, device: SimulatedDevice, *, pinned: bool = False) -> None:
        """Adopt the trainer's model; `pinned` copies do not wait."""
        self.trainer, self.device, self.pinned = trainer, device, pinned
        device.adopt(trainer.model)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.trainer, name)

    def transfer(self, batch: Iterable[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Return the batch (x, y) on the device."""
        pinned = self.pinned
        return tuple(
            self.device.to_device(part, pinned=pinned, non_blocking=pinned) for part in batch
        )


def phase_times(
    trainer: SimulatedTrainer,
    iterator: Iterator[Any],
    sync_after: Iterable[str] = (),
    *,
    item: bool = False,
) -> dict[str, int]:
    """Run one step and return the host time of each phase [ns], with syncs where asked for.

    Args:
        trainer: On its simulated device, which is entered for this step.
        iterator: Gives the batch.
        sync_after: Phases that end with a `synchronize`, inside their own time.
        item: Whether to read the loss at the end, as a phase ``"item"``.
    """
    device, syncs = trainer.device, set(sync_after)
    times: dict[str, int] = {}

    def phase(name: str, work: Callable[..., Any], *args: Any) -> Any:
        begin = device.now()
        result = work(*args)
        if name in syncs:
            device.synchronize()
        times[name] = device.now() - begin
        return result

    with device:
        batch = phase("data_wait", trainer.fetch, iterator)
        x, y = phase("transfer", trainer.transfer, batch)
        loss = phase("forward", trainer.forward, x, y)
        phase("backward", trainer.backward, loss)
        phase("optimizer", trainer.update)
        if item:
            phase("item", loss.item)
    return times
