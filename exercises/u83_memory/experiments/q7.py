"""Live tensor bytes from step to step, when each loss is kept in a list after its backward."""

import torch

from grader.instruments.live_bytes import LiveBytes

model, x = torch.nn.Linear(64, 64), torch.ones(32, 64)
for after_backward in (True, False):
    losses, live, ledger = [], [], LiveBytes()
    with ledger:
        for _ in range(4):
            loss = model(x).relu().sum()
            if after_backward:
                loss.backward()
            losses.append(loss)
            del loss
            live.append(ledger.live)
    growth = [after - before for before, after in zip(live[1:], live[2:])]
    print(f"backward before it is kept: {after_backward!s:5}  growth a step: {growth} B")
