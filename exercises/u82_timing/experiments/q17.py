"""Three ways to fill two rows of a staging buffer."""

import torch

ones = torch.ones(2, 3)
ways = {
    "buffer[[0, 1], :].copy_(ones, non_blocking=True)": lambda buffer: buffer[[0, 1], :].copy_(
        ones, non_blocking=True
    ),
    "buffer[:2].copy_(ones, non_blocking=True)": lambda buffer: buffer[:2].copy_(
        ones, non_blocking=True
    ),
    "buffer[[0, 1]] = ones": lambda buffer: buffer.__setitem__([0, 1], ones),
}
for name, fill in ways.items():
    buffer = torch.zeros(4, 3)
    fill(buffer)
    print(f"{name:50} sum {buffer.sum():g}")
