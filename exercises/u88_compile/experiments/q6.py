"""A compiled model's state, loaded into a fresh plain model."""

import torch
from torch import nn


def make():
    return nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))


state, fresh = torch.compile(make(), backend="eager").state_dict(), make()
before = {name: value.clone() for name, value in fresh.state_dict().items()}
print("names in the state:", list(state)[:2], "... wanted:", list(before)[:2], "...")
found = fresh.load_state_dict(state, strict=False)
same = [name for name, value in fresh.state_dict().items() if torch.equal(before[name], value)]
print(f"strict=False: no error; {len(same)} of {len(before)} weights are as they were before")
try:
    fresh.load_state_dict(state)
except RuntimeError as error:
    print("strict=True:", str(error).splitlines()[0])
