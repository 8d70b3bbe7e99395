"""What a memory profile says of a convolution, column by column."""

import torch
from torch.profiler import ProfilerActivity, profile

image, kernel = torch.ones(2, 3, 16, 16), torch.ones(8, 3, 3, 3)
with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as prof:
    output = torch.conv2d(image, kernel)

print(f"the output has {output.nbytes} B")
for entry in prof.key_averages():
    if entry.key in ("aten::conv2d", "aten::empty"):
        own, total = entry.self_cpu_memory_usage, entry.cpu_memory_usage
        print(f"{entry.key:13} self memory {own} B, total memory {total} B, count {entry.count}")
