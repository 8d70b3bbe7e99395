"""Graphs of three functions that print somewhere."""

import contextlib
import io

import torch

from grader.instruments.graph_breaks import count_graphs, first_break


def head(x):
    print(1)
    return x * 2


def middle(x):
    y = x * 2
    print(1)
    return y * 3


for f in (head, middle):
    with contextlib.redirect_stdout(io.StringIO()):
        graphs = count_graphs(f, [(torch.ones(3),)]).graphs
        broken = bool(first_break(f, torch.ones(3)))
    print(f"print at the {f.__name__}: graphs {graphs}, a break: {broken}")
