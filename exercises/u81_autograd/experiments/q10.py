"""How deep the graph of w is from step to step of a recorded update."""

import torch


def depth(node):
    return 1 + max((depth(n) for n, _ in node.next_functions if n is not None), default=0)


w = torch.ones(3, requires_grad=True)
for step in range(1, 11):
    (g,) = torch.autograd.grad((w**2).sum(), w)
    w = w - 0.01 * g
    if step in (1, 2, 3, 10):
        print(f"after step {step:2}: {depth(w.grad_fn)} nodes one behind the other")
