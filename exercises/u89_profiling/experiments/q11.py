"""FLOPs of a step with and without full recomputation, counted."""

import torch
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop
from torch.utils.flop_counter import FlopCounterMode

layers = [torch.nn.Linear(16, 16, bias=False) for _ in range(3)]
model, x = torch.nn.Sequential(*layers), torch.ones(4, 16, requires_grad=True)


def counted(forward):
    with FlopCounterMode(display=False) as counter, set_checkpoint_early_stop(False):
        forward().sum().backward()
    return counter.get_total_flops()


plain = counted(lambda: model(x))
again = counted(lambda: checkpoint(model, x, use_reentrant=False))
print("forward and backward:", plain, "FLOP")
print("with the forward run again:", again, "FLOP, a factor of", round(again / plain, 4))
