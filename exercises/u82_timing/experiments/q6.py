"""The same copy into rows chosen by a list, and into rows chosen by a slice."""

import torch

for name, rows in (("list [0, 1]", [0, 1]), ("slice 0:2", slice(0, 2))):
    buffer = torch.zeros(4, 3)
    chosen = buffer[rows, :]
    same = chosen.untyped_storage().data_ptr() == buffer.untyped_storage().data_ptr()
    chosen.copy_(torch.ones(2, 3))
    print(f"{name:12} shares memory with the buffer: {same!s:5}  sum {buffer.sum():g}")
