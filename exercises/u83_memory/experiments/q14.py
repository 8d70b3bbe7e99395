"""What is saved for the backward of Linear, ReLU, Linear, storage by storage."""

import torch

from grader.instruments.saved_tensors import saved_tensors

model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
x = torch.zeros(32, 16)
for saved in saved_tensors(lambda: model(x), [x, *model.parameters()]):
    print(f"shape {list(saved.shape)}, {saved.size} B, saved {saved.times} times")
print("not counted: the input and the parameters, which exist anyway")
