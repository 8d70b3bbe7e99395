"""The draws of two epochs that begin with one seed."""

import torch

epochs = []
for epoch in (1, 2):
    torch.manual_seed(0)
    epochs.append(torch.rand(4))
    print(f"epoch {epoch}:", [round(value, 4) for value in epochs[-1].tolist()])
print("equal:", torch.equal(*epochs))
