"""The dtype of what comes out of some operations under float16 autocast on a CPU."""

import torch
from torch import nn
from torch.nn import functional as F

with torch.autocast("cpu", dtype=torch.float16):
    h = nn.Linear(4, 4)(torch.ones(2, 4))
    print("Linear        ", h.dtype)
    print("LayerNorm     ", nn.LayerNorm(4)(h).dtype)
    print("softmax       ", h.softmax(-1).dtype)
    print("cross_entropy ", F.cross_entropy(h, torch.zeros(2, dtype=torch.long)).dtype)
