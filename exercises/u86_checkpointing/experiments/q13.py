"""Peaks of live tensor bytes by phase, plain and with checkpoints."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential

from grader.instruments.live_bytes import LiveBytes

for segments in (None, 3):
    torch.manual_seed(0)
    model, x = nn.Sequential(*(nn.Linear(64, 64) for _ in range(8))), torch.ones(2, 64)
    optimizer, ledger = torch.optim.AdamW(model.parameters(), foreach=True), LiveBytes()
    ledger.track(model, x)
    with ledger:
        for _ in range(2):
            with ledger.phase("forward"):
                y = (
                    model(x)
                    if segments is None
                    else checkpoint_sequential(model, segments, x, use_reentrant=False)
                )
            with ledger.phase("backward"):
                y.sum().backward()
            del y
            with ledger.phase("optimizer"):
                optimizer.step()
            optimizer.zero_grad()
    peaks = {name: phase.peak for name, phase in ledger.phases.items()}
    print(f"segments {segments}: {peaks}, peak of the step {ledger.peak} B")
