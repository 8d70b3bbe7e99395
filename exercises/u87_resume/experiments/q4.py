"""What a copy of a state dict holds when the weight changes afterwards."""

import copy

import torch

layer = torch.nn.Linear(1, 1, bias=False)
layer.weight.data.fill_(2.0)
shallow, deep = layer.state_dict().copy(), copy.deepcopy(layer.state_dict())
layer.weight.data.fill_(5.0)
print("state_dict().copy()      holds", shallow["weight"].item())
print("deepcopy(state_dict())   holds", deep["weight"].item())
