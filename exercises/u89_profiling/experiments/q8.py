"""FLOPs that the counter sees in attention on a CPU, and in one of its two products alone."""

import torch
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

tokens = torch.ones(2, 4, 16, 8)
with FlopCounterMode(display=False) as counter:
    F.scaled_dot_product_attention(tokens, tokens, tokens)
print("scaled_dot_product_attention:", counter.get_total_flops(), "FLOP")

with FlopCounterMode(display=False) as counter:
    tokens @ tokens.transpose(-1, -2)
print("the first product by hand:   ", counter.get_total_flops(), "FLOP")
