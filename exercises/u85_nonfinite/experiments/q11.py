"""Where a NaN of the data is first seen in the backward."""

import warnings

import torch

warnings.simplefilter("ignore")
layer, data = torch.nn.Linear(2, 3), torch.tensor([[1.0, -1.0]])
spoiled = data.log()
print("log gives", spoiled.tolist(), "and has a node of its own:", spoiled.grad_fn is not None)
try:
    with torch.autograd.detect_anomaly():
        layer(spoiled).sum().backward()
except RuntimeError as error:
    print("anomaly detection:", error)
