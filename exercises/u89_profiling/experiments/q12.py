"""How many events a profiler holds after 10 and after 40 steps, with a schedule and without."""

import warnings

import torch
from torch.profiler import ProfilerActivity, profile, schedule

warnings.simplefilter("ignore")


def held(steps, plan=None):
    with profile(activities=[ProfilerActivity.CPU], schedule=plan) as prof:
        for _ in range(steps):
            torch.ones(4, 4) @ torch.ones(4, 4)
            prof.step()
    return sum(event.name == "aten::mm" for event in prof.events())


print("no schedule: ", held(10), "products after 10 steps,", held(40), "after 40")
plan = schedule(wait=1, warmup=1, active=2, repeat=1)
print("a window of 2:", held(10, plan), "after 10 steps,", held(40, plan), "after 40")
