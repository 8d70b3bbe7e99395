"""Host syncs of five calls, counted by the course's instrument on a CPU."""

import contextlib
import io

import torch

from grader.instruments.host_syncs import count_host_syncs

t, one = torch.arange(4.0), torch.tensor(1.0)
calls = {
    "t.sum()": t.sum,
    "if t > 0": lambda: "yes" if one > 0 else "no",
    "t[mask]": lambda: t[t > 0],
    "print(t)": lambda: print(t),
    "t.cpu()": t.cpu,
}
for name, call in calls.items():
    with contextlib.redirect_stdout(io.StringIO()):
        count = count_host_syncs(call)
    print(f"{name:9} {count}")
