"""A keyword for the block, through both kinds of checkpoint."""

import torch
from torch.utils.checkpoint import checkpoint

for reentrant in (True, False):
    x = torch.ones(2, requires_grad=True)
    try:
        y = checkpoint(lambda t, scale: t * scale, x, scale=3.0, use_reentrant=reentrant)
        print(f"use_reentrant={reentrant!s:5} gives {y.tolist()}")
    except ValueError as error:
        print(f"use_reentrant={reentrant!s:5} ValueError: {error}")
