"""The names in the state of a compiled model, and what a plain one takes of them."""

import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")


def make():
    return nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))


state = torch.compile(make(), backend="eager").state_dict()
print("saved: ", list(state))
print("wanted:", list(make().state_dict()))
found = make().load_state_dict(state, strict=False)
print("loaded:", 4 - len(found.missing_keys), "of 4, no error")
