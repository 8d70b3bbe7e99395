"""Real handwritten digits and the batches made of them, resumable in the middle of an epoch."""

from __future__ import annotations

import gzip
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

Dataset = tuple[Tensor, Tensor]
"""Examples ``[N, ...]`` and their labels ``[N]``."""

CLASSES = 10
VALIDATION_SHARE = 0.2


def load_digits() -> Dataset:
    """Return 1797 handwritten digits: images float32 ``[1797, 64]`` in [0, 1], labels int64."""
    text = gzip.decompress((Path(__file__).parent / "digits.csv.gz").read_bytes()).decode("ascii")
    cells = array("B", map(int, text.strip().replace("\n", ",").split(",")))
    rows = torch.frombuffer(cells, dtype=torch.uint8).reshape(-1, 65)
    return rows[:, :64].to(torch.float32) / 16.0, rows[:, 64].to(torch.int64)


def split(seed: int = 0) -> tuple[Dataset, Dataset]:
    """Return (training, validation) sets; a fifth of each class is held out.

    Holding out the same share of every class keeps the share of the most frequent class, which
    is what guessing can reach, close to 1 / `CLASSES`.
    """
    images, labels = load_digits()
    generator = torch.Generator().manual_seed(seed)
    held_out = torch.zeros(len(labels), dtype=torch.bool)
    for label in range(CLASSES):
        members = (labels == label).nonzero().flatten()
        count = round(len(members) * VALIDATION_SHARE)
        held_out[members[torch.randperm(len(members), generator=generator)[:count]]] = True
    return (images[~held_out], labels[~held_out]), (images[held_out], labels[held_out])


class Batches:
    """Shuffled batches of one dataset, with a random generator of their own.

    ``iter(batches)`` hands out the rest of the current epoch; `stream` goes on for ever. The
    position is part of `state_dict`, so a run that stops in the middle of an epoch goes on with
    the very batch that was next. torch's global RNG is never used.

    By default a short last batch is dropped: every batch then has the same shape, and a count of
    bytes or FLOPs holds for each step.
    """

    def __init__(
        self,
        images: Tensor,
        labels: Tensor,
        batch_size: int,
        seed: int = 0,
        *,
        drop_last: bool = True,
    ) -> None:
        """Keep the examples ``[N, ...]`` and labels ``[N, ...]``; nothing is drawn yet.

        Raises:
            ValueError: If the two lengths differ, or not one batch can be made.
        """
        if len(images) != len(labels):
            raise ValueError(f"{len(images)} examples but {len(labels)} labels")
        if not 1 <= batch_size <= len(images):
            raise ValueError(f"batch_size is {batch_size}, must be from 1 to {len(images)}")
        self.images, self.labels = images, labels
        self.batch_size, self.drop_last = batch_size, drop_last
        self.epoch = 0
        self.position = 0
        self._generator = torch.Generator().manual_seed(seed)
        self._before_epoch = self._generator.get_state()
        self._order: Tensor | None = None

    def __len__(self) -> int:
        """Return the number of batches in a whole epoch."""
        whole, rest = divmod(len(self.images), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def __iter__(self) -> Iterator[Dataset]:
        """Hand out the rest of this epoch, or a whole one when none has begun."""
        last = False
        while not last:
            order = self._draw_order()
            start = self.position * self.batch_size
            chosen = order[start : start + self.batch_size]
            last = self._move_on()
            yield self.images[chosen], self.labels[chosen]

    def stream(self) -> Iterator[Dataset]:
        """Hand out batches for ever, epoch after epoch."""
        while True:
            yield from self

    def state_dict(self) -> dict[str, Any]:
        """Return where the batches stand; a batch counts as used once it was handed out.

        The generator's state is the one from *before* the epoch's order was drawn: restoring
        draws the same order again and skips `position` batches of it.
        """
        return {
            "generator": self._before_epoch.clone(),
            "epoch": self.epoch,
            "position": self.position,
            "batch_size": self.batch_size,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from `state`.

        Raises:
            ValueError: If `state` was saved with another batch size, where a position means
                something else.
        """
        if state["batch_size"] != self.batch_size:
            raise ValueError(
                f"the saved batches have batch_size {state['batch_size']}, not {self.batch_size}"
            )
        self._generator.set_state(state["generator"])
        self._before_epoch = self._generator.get_state()
        self.epoch, self.position = state["epoch"], state["position"]
        self._order = None

    def _draw_order(self) -> Tensor:
        """Return this epoch's order of the examples ``[N]``, drawn when it is first needed."""
        if self._order is None:
            self._before_epoch = self._generator.get_state()
            self._order = torch.randperm(len(self.images), generator=self._generator)
        return self._order

    def _move_on(self) -> bool:
        """Step over one batch; return True when it was the epoch's last."""
        self.position += 1
        if self.position < len(self):
            return False
        self.epoch, self.position, self._order = self.epoch + 1, 0, None
        self._before_epoch = self._generator.get_state()
        return True
