"""Bytes an element of everything that float32 training with AdamW keeps for one parameter."""

import torch

parameter = torch.nn.Parameter(torch.ones(1000))
parameter.grad = torch.ones(1000)
optimizer = torch.optim.AdamW([parameter])
optimizer.step()

states = {name: t for name, t in optimizer.state[parameter].items() if t.dim()}
tensors = {"parameter": parameter, "gradient": parameter.grad, **states}
for name, tensor in tensors.items():
    print(f"{name:11} {tensor.nbytes / 1000:g} B an element")
each = sum(t.nbytes for t in tensors.values()) / 1000
print(f"together {each:g} B; of 250 million parameters {each * 250e6 / 1e9:g} GB")
