"""Two windows of a schedule: what each holds when it is ready, and what is left after the loop."""

import warnings

import torch
from torch.profiler import ProfilerActivity, profile, schedule

warnings.simplefilter("ignore")


def calls(prof):
    return sum(entry.count for entry in prof.key_averages() if entry.key == "aten::mm")


plan = schedule(wait=0, warmup=1, active=4, repeat=2)


def ready(prof):
    print("a window is ready, calls in it:", calls(prof))


with profile(activities=[ProfilerActivity.CPU], schedule=plan, on_trace_ready=ready) as prof:
    for _ in range(20):
        torch.ones(4, 4) @ torch.ones(4, 4)
        prof.step()
print("read after the loop, calls:", calls(prof))
