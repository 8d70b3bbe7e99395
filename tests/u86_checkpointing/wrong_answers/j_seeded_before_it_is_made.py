"""Seeds before the model is made, which may draw numbers."""


def _step(make, x, seed):
    torch.manual_seed(seed)
    model = make()
    mine = x.detach().clone().requires_grad_(x.requires_grad)
    y = model(mine)
    y.sum().backward()
    return {
        "output": y.detach(),
        "input": mine.grad,
        "parameters": [(name, parameter.grad) for name, parameter in model.named_parameters()],
        "buffers": list(model.named_buffers()),
        "random state": torch.get_rng_state(),
    }
