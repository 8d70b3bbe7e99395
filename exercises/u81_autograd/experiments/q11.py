"""What an mlp 10-20-5 saves of its hidden layer, with ReLU and with GELU."""

import torch

from grader.instruments.saved_tensors import saved_tensors

x = torch.randn(16, 10)
for activation in (torch.nn.ReLU(), torch.nn.GELU()):
    model = torch.nn.Sequential(torch.nn.Linear(10, 20), activation, torch.nn.Linear(20, 5))
    hidden = saved_tensors(lambda: model(x), [x, *model.parameters()])
    sizes = [saved.size for saved in hidden]
    print(f"{type(activation).__name__}: {sizes} B, together {sum(sizes)} B")
