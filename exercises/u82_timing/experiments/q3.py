"""What the timed statement itself sees of the threads, by what the Timer was told."""

import torch
from torch.utils.benchmark import Timer

torch.set_num_threads(2)
print("threads of this process:", torch.get_num_threads())
for options in ({}, {"num_threads": 2}):
    seen = []
    scope = {"seen": seen, "torch": torch}
    Timer("seen.append(torch.get_num_threads())", globals=scope, **options).timeit(3)
    print(f"Timer({options or ''}): threads in the statement: {sorted(set(seen))[0]}")
