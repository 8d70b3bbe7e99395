"""Two calls that differ in one thing: how many graphs are made."""

import torch

from grader.instruments.graph_breaks import count_graphs

x, dropout = torch.ones(3), torch.nn.Dropout(0.5)


def plain(x, flag=True):
    return x * 2 if flag else x * 3


pairs = {
    "dtype": [(x,), (x.double(),)],
    "requires_grad": [(x,), (torch.ones(3, requires_grad=True),)],
    "values": [(x,), (x * -7,)],
    "bool argument": [(x, True), (x, False)],
}
for name, calls in pairs.items():
    print(f"{name:14} {count_graphs(plain, calls).graphs}")
switch = lambda number: dropout.train(number == 0)
print(f"train to eval  {count_graphs(dropout, [(x,), (x,)], before=switch).graphs}")
