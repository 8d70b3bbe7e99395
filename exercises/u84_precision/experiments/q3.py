"""A thousand hundredths, added one by one in float16."""

import torch

total, step = torch.zeros((), dtype=torch.float16), torch.tensor(0.01, dtype=torch.float16)
print(f"the addend is really {step.item()}")
for number in range(1, 1001):
    total = total + step
    if number in (10, 100, 500, 1000):
        print(f"after {number:4}: {total.item():<10} right: {number * 0.01:.2f}")
