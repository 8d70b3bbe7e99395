"""Where the log-probabilities lie that cross_entropy saves."""

import torch
from torch.nn import functional as F

z, labels = torch.randn(4, 6, requires_grad=True), torch.zeros(4, dtype=torch.long)
places = []


def pack(tensor):
    if list(tensor.shape) == [4, 6]:
        places.append(tensor.untyped_storage().data_ptr())
    return tensor.detach()


with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
    F.cross_entropy(z, labels)
print(f"saved {len(places)} times, copies in memory: {len(set(places))}")
