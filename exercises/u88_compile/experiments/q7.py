"""Graphs of ten compiled optimizer steps, with a rate that is a float and one that is a tensor."""

import warnings

import torch

from grader.instruments.graph_breaks import count_graphs

warnings.simplefilter("ignore")
for name, rate in (("a float", 0.1), ("a tensor", torch.tensor(0.1))):
    parameter = torch.nn.Parameter(torch.ones(3))
    parameter.grad = torch.ones(3)
    optimizer = torch.optim.AdamW([parameter], lr=rate)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    counted = count_graphs(
        lambda: optimizer.step(),
        [()] * 10,
        before=lambda number: schedule.step() if number else None,
    )
    print(f"the rate is {name}: {counted.graphs} graph(s)")
