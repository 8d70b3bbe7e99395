"""An edit in place between forward and backward, through .data and without it."""

import torch

for name in ("h.data.add_(1)", "h.detach().add_(1)"):
    a = torch.zeros(3, requires_grad=True)
    h = a.exp()
    loss = h.sum()
    (h.data if "data" in name else h.detach()).add_(1)
    print(f"{name}: version of h is {h._version}")
    try:
        loss.backward()
        print("    gradient", a.grad.tolist(), "where exp(0) = 1 is right")
    except RuntimeError as error:
        print("    RuntimeError:", str(error).split(":")[0])
