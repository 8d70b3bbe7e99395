"""Whether making an iterator moves the global generator."""

import torch

for name, options in (
    ("no generator", {}),
    ("a generator of its own", {"generator": torch.Generator()}),
):
    before = torch.get_rng_state()
    iter(torch.utils.data.DataLoader([1, 2, 3], shuffle=False, **options))
    moved = not torch.equal(before, torch.get_rng_state())
    print(f"{name:23} moved: {moved}")
