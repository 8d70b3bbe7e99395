"""Seeds once for both models."""


def _step_unseeded(make, x):
    model = make()
    mine = x.detach().clone().requires_grad_(x.requires_grad)
    y = model(mine)
    y.sum().backward()
    return {
        "output": y.detach(),
        "input": mine.grad,
        "parameters": [(name, p.grad) for name, p in model.named_parameters()],
        "buffers": list(model.named_buffers()),
        "random state": torch.get_rng_state(),
    }


def _step(make, x, seed, first=[True]):
    if first.pop() if first else False:
        torch.manual_seed(seed)
    return _step_unseeded(make, x)
