"""Calls with more and more sizes: how many graphs each one ran."""

import torch

from grader.instruments.graph_breaks import count_graphs

sizes = [*range(2, 10), 20, 2, 20, 3]
counted = count_graphs(lambda x: x * 2, [(torch.ones(n),) for n in sizes], dynamic=False)
for size, ran in zip(sizes, counted.ran):
    print(f"size {size:2}: {'runs compiled' if ran else 'runs eagerly'}")
print("graphs in all:", counted.graphs)
