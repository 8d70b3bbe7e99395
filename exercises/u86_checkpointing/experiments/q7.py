"""Masks of dropout in the forward and in its recomputation, with and without the same RNG state."""

import torch
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

for preserve in (True, False):
    torch.manual_seed(0)
    x = torch.ones(100_000, requires_grad=True)
    y = checkpoint(
        lambda t: F.dropout(t, 0.5) * t, x, use_reentrant=False, preserve_rng_state=preserve
    )
    y.sum().backward()
    share = ((y != 0) == (x.grad != 0)).double().mean().item()
    print(f"preserve_rng_state={preserve!s:5}  the masks agree on {100 * share:.1f} %")
