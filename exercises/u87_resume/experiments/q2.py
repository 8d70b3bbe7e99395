"""Sixteen numbers at once, and twice eight, from one seed."""

import torch

for draw in (torch.randn, torch.rand):
    torch.manual_seed(0)
    whole = draw(16)
    torch.manual_seed(0)
    halves = torch.cat([draw(8), draw(8)])
    print(f"{draw.__name__:5} same: {torch.equal(whole, halves)}")
