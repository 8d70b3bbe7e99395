"""FLOPs of a step of 8 blocks, counted, with and without checkpoints."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

blocks = [nn.Sequential(nn.Linear(8, 24), nn.GELU(), nn.Linear(24, 8)) for _ in range(8)]


def counted(run):
    x = torch.ones(4, 8)
    with FlopCounterMode(display=False) as counter:
        for block in blocks:
            x = run(block, x)
        forward = counter.get_total_flops()
        x.sum().backward()
    return forward, counter.get_total_flops()


plain = counted(lambda block, x: block(x))
each = counted(lambda block, x: checkpoint(block, x, use_reentrant=False))
print("plain:       forward", plain[0], "step", plain[1])
print("checkpoints: forward", each[0], "step", each[1])
print(f"run again {each[1] - plain[1]} FLOP, {(each[1] - plain[1]) / plain[0]:g} of a forward")
print(f"a factor of {each[1] / plain[1]:.4f}")
