"""Three ways to write a ReLU that edits its input."""

import torch
from torch.nn import functional as F

for name, call in (
    ("torch.relu(x, inplace=True)", lambda x: torch.relu(x, inplace=True)),
    ("F.relu(x, inplace=True)", lambda x: F.relu(x, inplace=True)),
    ("torch.relu_(x)", torch.relu_),
):
    x = torch.tensor([-1.0, 2.0])
    try:
        print(f"{name:28} returns x itself: {call(x) is x}, x is {x.tolist()}")
    except TypeError as error:
        print(f"{name:28} TypeError: {str(error).splitlines()[0][:60]}")
