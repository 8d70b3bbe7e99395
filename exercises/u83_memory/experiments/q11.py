"""Bytes that loading needs beside the model; "meta" stands for the card."""

import io

import torch

file = io.BytesIO()
torch.save(torch.nn.Linear(100, 100).state_dict(), file)
for where in ("meta", "cpu"):
    model = torch.nn.Linear(100, 100, device="meta")
    file.seek(0)
    state = torch.load(file, map_location=where)
    own = sum(p.nbytes for p in model.parameters())
    beside = sum(t.nbytes for t in state.values() if t.device.type == "meta")
    place = "on the card" if where == "meta" else "in host memory"
    print(f"loaded {place:15}: model {own} B and {beside} B beside it on the card")
