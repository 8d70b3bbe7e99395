"""What the question gets for an answer, with a device in it and without."""

import torch

with torch.autocast("cpu", dtype=torch.bfloat16):
    print("is_autocast_enabled()       ", torch.is_autocast_enabled())
    print('is_autocast_enabled("cpu")  ', torch.is_autocast_enabled("cpu"))
    print('is_autocast_enabled("cuda") ', torch.is_autocast_enabled("cuda"))
