"""Peak of live tensor bytes of a training step by the number of examples."""

import torch
from torch.nn import functional as F

from grader.instruments.live_bytes import LiveBytes


def peak(examples):
    model = torch.nn.Sequential(
        torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)
    )
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    x, y = torch.zeros(examples, 512), torch.zeros(examples, dtype=torch.long)
    ledger = LiveBytes()
    with ledger:
        ledger.track(model, x, y)
        for _ in range(2):
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    return ledger.peak


for examples in (32, 64, 128):
    print(f"{examples:3} examples: peak {peak(examples)} B, {peak(examples) / examples:.0f} B each")
extra = (peak(64) - peak(32)) / 32
print(f"one more costs {extra:.0f} B, less than 1/32 of the peak: {extra < peak(32) / 32}")
