"""Looks at the buffers after the forward, not after the step."""


def _step(make, x, seed):
    model = make()
    mine = x.detach().clone().requires_grad_(x.requires_grad)
    torch.manual_seed(seed)
    y = model(mine)
    buffers = [(name, b.clone()) for name, b in model.named_buffers()]
    y.sum().backward()
    return {
        "output": y.detach(),
        "input": mine.grad,
        "parameters": [(name, parameter.grad) for name, parameter in model.named_parameters()],
        "buffers": buffers,
        "random state": torch.get_rng_state(),
    }
