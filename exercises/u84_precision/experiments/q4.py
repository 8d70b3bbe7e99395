"""The same sum in bfloat16, with half the spacing of its numbers beside it."""

import torch

total, step = torch.zeros((), dtype=torch.bfloat16), torch.tensor(0.01, dtype=torch.bfloat16)
for number in range(1, 1001):
    total = total + step
    if number in (10, 100, 200, 300, 400, 1000):
        up = torch.nextafter(total, torch.tensor(torch.inf, dtype=torch.bfloat16))
        half = (up.double() - total.double()).item() / 2
        print(
            f"after {number:4}: {total.item():<9} half a step {half:.5f}, added {step.item():.5f}"
        )
