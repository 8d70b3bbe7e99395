"""Parameters of a model with a shared weight, before and after two ways of loading."""

import torch
from torch import nn


def make():
    table, head = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
    head.weight = table.weight
    return nn.ModuleDict({"table": table, "head": head})


state = {name: value.clone() for name, value in make().state_dict().items()}
print("names in the state:", list(state))
for assign in (False, True):
    model = make()
    before = len(list(model.parameters()))
    model.load_state_dict(state, assign=assign)
    print(f"assign={assign!s:5}  parameters before {before}, after {len(list(model.parameters()))}")
