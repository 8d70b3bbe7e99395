"""Gradient descent with momentum by torch, for the run of the NumPy stage."""

from __future__ import annotations

from typing import Any


def torch_momentum(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Train the linear model of `train` by torch.optim.SGD, on the same batches, no masks."""
    import numpy as np
    import torch

    settings = case["settings"]
    x, y = (torch.tensor(case[name], dtype=torch.float64) for name in ("x", "y"))
    generator = np.random.default_rng(settings["seed"])
    w = torch.zeros(x.shape[1], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=settings["lr"], momentum=settings["momentum"])
    losses: list[float] = []
    epoch = 0
    while len(losses) < case["steps"]:
        order = torch.from_numpy(generator.permutation(len(x)))
        for chosen in order.split(settings["batch_size"]):
            if len(losses) == case["steps"]:
                break
            optimizer.param_groups[0]["lr"] = settings["lr"] * settings["decay"] ** epoch
            loss = torch.nn.functional.mse_loss(x[chosen] @ w, y[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        epoch += 1
    return {"losses": losses, "w": w.detach()}
