"""What cross_entropy saves, by shape and by the node that saves it."""

import torch
from torch.nn import functional as F

z, labels = torch.randn(4, 6, requires_grad=True), torch.zeros(4, dtype=torch.long)
shapes = []
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: shapes.append(list(t.shape)) or t.detach(), lambda t: t
):
    loss = F.cross_entropy(z, labels)
print("saved:", shapes)
print("of the shape of the log-probabilities:", shapes.count([4, 6]))
node = loss.grad_fn
print("nodes:", node.name(), "and", node.next_functions[0][0].name())
