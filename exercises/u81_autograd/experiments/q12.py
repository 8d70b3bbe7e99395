"""The shapes that an mlp of three Linears saves, before and after its first layer is frozen."""

import torch
from torch import nn

from grader.instruments.saved_tensors import saved_tensors

first = nn.Linear(4, 5)
model = nn.Sequential(first, nn.ReLU(), nn.Linear(5, 6), nn.ReLU(), nn.Linear(6, 3))
x = torch.randn(7, 4)
print("the input is [7, 4], the first ReLU gives [7, 5], the second [7, 6]")
for frozen in (False, True):
    first.requires_grad_(not frozen)
    shapes = [list(s.shape) for s in saved_tensors(lambda: model(x), model.parameters())]
    print(f"first layer frozen: {frozen!s:5}  saved: {shapes}")
