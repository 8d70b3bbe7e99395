"""Weights that are alive after five rounds, by how their second-order graph was made."""

import gc
import warnings
import weakref

import torch

warnings.simplefilter("ignore")
for way in ("backward", "backward, then grad = None", "torch.autograd.grad"):
    weights = []
    for _ in range(5):
        p = torch.ones(10, requires_grad=True)
        weights.append(weakref.ref(p))
        loss = (p**3).sum()
        if way == "torch.autograd.grad":
            torch.autograd.grad(loss, p, create_graph=True)
        else:
            loss.backward(create_graph=True)
        if "None" in way:
            p.grad = None
        del p, loss
    gc.collect()
    print(f"{way:26} alive: {sum(weight() is not None for weight in weights)}")
