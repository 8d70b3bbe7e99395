"""Two losses that are NaN, and the gradients of each."""

import torch

x = torch.tensor([-1.0, 2.0], requires_grad=True)
loss = x.log().sum()
loss.backward()
print("log:  loss", loss.item(), " gradients", x.grad.tolist())

two = torch.zeros(2, requires_grad=True)
loss = two[0] / two[1]
loss.backward()
print("0/0:  loss", loss.item(), " gradients", two.grad.tolist())
