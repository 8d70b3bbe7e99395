"""Bytes of what a GPT with 12 blocks and a context of 1024 keeps besides its parameters."""

import torch

tensors = {
    "step counters, one a tensor": [torch.zeros(()) for _ in range(148)],
    "position table": [torch.zeros(1024, 768)],
    "one mask a block": [torch.tril(torch.ones(1024, 1024)) for _ in range(12)],
}
for name, found in tensors.items():
    print(f"{name:28} {sum(t.nbytes for t in found) / 1e6:9.4f} MB")
print("The position table is a parameter, so that its 12 bytes are counted already.")
