"""What AdamW reads from its tensors in a step, counted by the course's instrument."""

import torch

from grader.instruments.host_syncs import HostSyncs

for count in (1, 3, 5):
    weights = [torch.nn.Parameter(torch.ones(2)) for _ in range(count)]
    optimizer = torch.optim.AdamW(weights, foreach=False)
    for weight in weights:
        weight.grad = torch.ones(2)
    syncs = HostSyncs()
    with syncs:
        optimizer.step()
    print(
        f"{count} parameter(s): {syncs.count} reads, {sorted({sync.name for sync in syncs.seen})}"
    )
