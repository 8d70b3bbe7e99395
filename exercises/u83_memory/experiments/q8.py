"""What one row of a batch holds on to, as a view and as a copy."""

import torch

x = torch.zeros(64, 1000)
for name, row in (("x[0]", x[0]), ("x[0].clone()", x[0].clone())):
    kept = row.untyped_storage().nbytes()
    print(f"{name:13} shows {row.nbytes} B and keeps {kept} B alive")
