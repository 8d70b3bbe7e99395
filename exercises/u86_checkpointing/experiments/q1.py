"""The colleague's line, and the call with an input."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential

model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(8)))
try:
    model = checkpoint_sequential(model, segments=4)
except TypeError as error:
    print("TypeError:", error)
output = checkpoint_sequential(model, 4, torch.ones(2, 4), use_reentrant=False)
print("with an input it returns", type(output).__name__, list(output.shape))
