"""Every node of a backward with what it is given and gives on; then anomaly detection."""

import warnings

import torch

warnings.simplefilter("ignore")


def tell(node):
    def hook(gives, given):
        print(f"{node.name():15} is given {given[0].tolist()} and gives {gives[0].tolist()}")

    return hook


def loss_of_three():
    return (torch.tensor([3.0], requires_grad=True) * 0).sqrt().sum()


loss = loss_of_three()
node = loss.grad_fn
while "Accumulate" not in node.name():
    node.register_hook(tell(node))
    node = node.next_functions[0][0]
loss.backward()
try:
    with torch.autograd.detect_anomaly():
        loss_of_three().backward()
except RuntimeError as error:
    print("anomaly detection:", error)
