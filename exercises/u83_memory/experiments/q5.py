"""What four calls do on this build of torch."""

import torch

print("built with CUDA:", torch.backends.cuda.is_built())
for name in (
    "memory_allocated",
    "max_memory_allocated",
    "memory_reserved",
    "reset_peak_memory_stats",
):
    try:
        print(f"{name:24} gives {getattr(torch.cuda, name)()}")
    except (AttributeError, RuntimeError, AssertionError) as error:
        print(f"{name:24} raises {type(error).__name__}")
