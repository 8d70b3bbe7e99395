"""The training run of the project: mixed precision, clipping, a schedule, and a state to resume.

What is trained comes from `adapter.py` alone. A step has the phases `forward`, `backward` and
`update`; waiting for the next batch comes before it.
"""

import copy
import random

import adapter
import torch

LOSS_WEIGHT = 2.0**-14
"""This loss is one of several terms of a larger objective, so its gradients are small."""

MAX_NORM = 0.5
"""Longest gradient that the optimizer may see, for the loss before it is weighted."""

EVERY = 4
"""Steps from one entry of the log to the next."""


def falling(step):
    """Return what the learning rate is multiplied by after so many steps."""
    return 0.99**step


class Trainer:
    """One model in training.

    Attributes:
        model: What the adapter made.
        optimizer: AdamW, whose updates hardly depend on the size of the gradients.
        scheduler: Lowers the learning rate a little in each step.
        scaler: The gradient scaler; half precision has no numbers as small as these gradients.
        loss_weight: `LOSS_WEIGHT`.
        max_norm: `MAX_NORM`.
        steps: Steps made.
        log: Every few steps the number of the step and its loss, a tensor.
    """

    def __init__(self, seed):
        """Make everything from a seed; torch's global generator, which dropout uses, is set."""
        self.model = adapter.make_model(seed)
        self.batches = list(adapter.make_batches(seed))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=2e-3, eps=1e-16)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, falling)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=2.0**16)
        self.loss_weight, self.max_norm = LOSS_WEIGHT, MAX_NORM
        self.generator = random.Random(seed)
        self.order = []
        self.steps, self.log = 0, []
        torch.manual_seed(seed)

    def stream(self):
        """Hand out batches for ever, each epoch in an order of its own."""
        while True:
            if not self.order:
                self.order = list(range(len(self.batches)))
                self.generator.shuffle(self.order)
            yield self.batches[self.order.pop()]

    def objective(self, batch):
        """Return the weighted loss of a batch: the part of a step that is fit for torch.compile."""
        loss = adapter.loss(self.model, batch)
        return loss * self.loss_weight

    def forward(self, batch):
        """Return the weighted loss of a batch, in mixed precision, with its graph."""
        with torch.autocast("cpu", dtype=torch.float16):
            return self.objective(batch)

    def backward(self, loss):
        """Leave the gradients of the scaled loss in the parameters."""
        self.scaler.scale(loss).backward()

    def update(self):
        """Bring the gradients to their true size, clip them, and make the optimizer's step."""
        self.scaler.unscale_(self.optimizer)
        longest = self.max_norm * self.loss_weight
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), longest)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.scheduler.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.steps += 1

    def step(self, batch):
        """Make one step on a batch; return its loss, weighted and detached."""
        loss = self.forward(batch)
        self.backward(loss)
        self.update()
        if self.steps % EVERY == 0:
            self.log.append((self.steps, loss.detach()))
        return loss.detach()

    def state_dict(self):
        """Return a copy of what the next step depends on."""
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": self.scheduler.state_dict(),
            "scaler": self.scaler.state_dict(),
            "generator": self.generator.getstate(),
            "order": self.order,
            "torch": torch.get_rng_state(),
            "steps": self.steps,
        }
        return copy.deepcopy(state)

    def load_state_dict(self, state):
        """Go on from a state, with the very batch and the very numbers that come next."""
        state = copy.deepcopy(state)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.scheduler.load_state_dict(state["scheduler"])
        self.scaler.load_state_dict(state["scaler"])
        self.order = state["order"]
        self.generator.setstate(state["generator"])
        torch.set_rng_state(state["torch"])
        self.steps = state["steps"]


def make_trainer(seed):
    """Return a new training run, all of it fixed by the seed."""
    return Trainer(seed)
