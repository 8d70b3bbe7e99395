"""A trainer of one's own: bf16, which needs no scaler, SGD with momentum, no schedule."""

import copy

import adapter
import torch


class Own:
    scheduler = scaler = None
    loss_weight, max_norm = 2.0**-14, 0.5

    def __init__(self, seed):
        self.model = adapter.make_model(seed)
        self.epoch = list(adapter.make_batches(seed))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=100.0, momentum=0.9)
        self.at = 0

    def stream(self):
        while True:
            self.at += 1
            yield self.epoch[self.at % len(self.epoch)]

    def objective(self, batch):
        return adapter.loss(self.model, batch) * self.loss_weight

    def forward(self, batch):
        with torch.autocast("cpu", torch.bfloat16):
            return self.objective(batch)

    def backward(self, loss):
        loss.backward()

    def update(self):
        grads = [p.grad for p in self.model.parameters()]
        norm = torch.stack([g.norm() for g in grads]).norm()
        factor = (self.max_norm * self.loss_weight / norm).clamp(max=1.0)
        for grad in grads:
            grad.mul_(factor)
        self.optimizer.step()
        self.optimizer.zero_grad()

    def step(self, batch):
        loss = self.forward(batch)
        self.backward(loss)
        self.update()
        return loss.detach()

    def state_dict(self):
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "at": self.at,
            "rng": torch.get_rng_state(),
        }
        return copy.deepcopy(state)

    def load_state_dict(self, state):
        state = copy.deepcopy(state)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.at = state["at"]
        torch.set_rng_state(state["rng"])


def make_trainer(seed):
    return Own(seed)
