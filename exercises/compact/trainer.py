"""A trainer whose step is five phases that can be called, timed and replaced one by one.

The phases, in this order: `fetch` (waiting for data), `transfer`, `forward`, `backward`,
`update` (the optimizer). The wait for data is outside `train_step`, so that a slow loader can
never look like a slow model; `step` is one of each.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .config import ModelConfig
from .data import Batches, Dataset, split
from .model import build

PHASES = ("data_wait", "transfer", "forward", "backward", "optimizer")
"""The phases of one step, in order, as every table of the course spells them."""


class Trainer:
    """One model in training, with the complete state that a bitwise resume needs."""

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        batches: Batches | None = None,
        scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
        device: str | torch.device = "cpu",
    ) -> None:
        """Keep the parts; the model must already be on `device`."""
        self.model, self.optimizer, self.scheduler = model, optimizer, scheduler
        self.batches = batches
        self.device = torch.device(device)
        self.steps = 0

    def fetch(self, iterator: Iterator[Dataset]) -> Dataset:
        """data_wait: return the next batch from `iterator`; StopIteration ends the epoch."""
        return next(iterator)

    def transfer(self, batch: Dataset) -> Dataset:
        """transfer: return the batch (x, y) on the trainer's device."""
        x, y = batch
        return x.to(self.device, non_blocking=True), y.to(self.device, non_blocking=True)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """forward: return the mean cross entropy, a 0-dim tensor with its graph.

        Logits may be ``[B, C]`` with labels ``[B]``, or ``[B, T, V]`` with labels ``[B, T]``.
        """
        return F.cross_entropy(self.model(x).flatten(0, -2), y.flatten())

    def backward(self, loss: Tensor) -> None:
        """backward: accumulate the gradients of `loss`."""
        loss.backward()

    def update(self) -> None:
        """optimizer: step the optimizer and the scheduler, drop the gradients, count the step."""
        self.optimizer.step()
        if self.scheduler is not None:
            self.scheduler.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.steps += 1

    def train_step(self, batch: Dataset) -> Tensor:
        """Run the four phases that follow the wait; return the loss, 0-dim and detached."""
        x, y = self.transfer(batch)
        loss = self.forward(x, y)
        self.backward(loss)
        self.update()
        return loss.detach()

    def step(self, iterator: Iterator[Dataset]) -> Tensor:
        """Run all five phases once; return the loss, 0-dim and detached."""
        return self.train_step(self.fetch(iterator))

    def state_dict(self) -> dict[str, Any]:
        """Return a copy of everything the next step depends on; call it between two steps.

        The copy shares no memory with the run, and holds only what
        ``torch.load(weights_only=True)`` accepts.
        """
        state: dict[str, Any] = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": None if self.scheduler is None else self.scheduler.state_dict(),
            "batches": None if self.batches is None else self.batches.state_dict(),
            "steps": self.steps,
            "torch_rng": torch.get_rng_state(),
        }
        if self.device.type == "cuda":
            state["cuda_rng"] = torch.cuda.get_rng_state(self.device)
        return copy.deepcopy(state)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from `state`, bit for bit; torch's global RNG is set too.

        Raises:
            ValueError: If one side has a scheduler or batches and the other has none.
        """
        for name, mine in (("scheduler", self.scheduler), ("batches", self.batches)):
            if (state[name] is None) != (mine is None):
                raise ValueError(f"only one of the saved state and this trainer has a {name}")
        state = copy.deepcopy(dict(state))
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        if self.scheduler is not None:
            self.scheduler.load_state_dict(state["scheduler"])
        if self.batches is not None:
            self.batches.load_state_dict(state["batches"])
        self.steps = state["steps"]
        torch.set_rng_state(state["torch_rng"])
        if self.device.type == "cuda":
            torch.cuda.set_rng_state(state["cuda_rng"], self.device)


def make_trainer(
    config: ModelConfig | None = None,
    seed: int = 0,
    lr: float = 1e-3,
    batch_size: int = 128,
    dataset: Dataset | None = None,
) -> Trainer:
    """Return a trainer with AdamW and a constant learning rate, all of it fixed by `seed`.

    Seeds torch's global RNG as well, since dropout draws from it.

    Args:
        config: The model; the three-layer mlp when None.
        seed: Of the weights, the order of the batches and dropout.
        lr: Learning rate.
        batch_size: Examples in a batch.
        dataset: What to train on; the training digits when None.
    """
    model = build(config or ModelConfig(), seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    images, labels = split()[0] if dataset is None else dataset
    torch.manual_seed(seed)
    return Trainer(model, optimizer, Batches(images, labels, batch_size, seed))
