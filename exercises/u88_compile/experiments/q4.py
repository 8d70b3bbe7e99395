"""How many graphs there are after each call with another size."""

import torch

from grader.instruments.graph_breaks import count_graphs

sizes = (8, 9, 1, 10, 0, 1, 9)
before = 0
for last in range(1, len(sizes) + 1):
    counted = count_graphs(lambda x: x * 3, [(torch.ones(n),) for n in sizes[:last]])
    new = "compiles" if counted.graphs > before else "fits a graph that is there"
    print(f"size {sizes[last - 1]:2}: {new}")
    before = counted.graphs
print("graphs in all:", before)
