"""The dtype and the size of AdamW's states, by the dtype of the parameter."""

import torch

for dtype in (torch.float32, torch.bfloat16):
    parameter = torch.nn.Parameter(torch.ones(1000, dtype=dtype))
    parameter.grad = torch.ones_like(parameter)
    optimizer = torch.optim.AdamW([parameter])
    optimizer.step()
    states = {name: t for name, t in optimizer.state[parameter].items() if t.dim()}
    print(dtype, {name: str(t.dtype) for name, t in states.items()})
    print(f"    together {sum(t.nbytes for t in states.values()) / 1000:g} B an element")
