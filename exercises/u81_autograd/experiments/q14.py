"""The class of the weight that a Linear and a LayerNorm save."""

import torch
from torch import nn

x = torch.randn(3, 4, requires_grad=True)
for layer in (nn.Linear(4, 4), nn.LayerNorm(4)):
    address = layer.weight.untyped_storage().data_ptr()

    def pack(tensor):
        if tensor.untyped_storage().data_ptr() == address:
            is_parameter = isinstance(tensor, nn.Parameter)
            print(f"{type(layer).__name__}: {type(tensor).__name__}, nn.Parameter: {is_parameter}")
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        layer(x)
