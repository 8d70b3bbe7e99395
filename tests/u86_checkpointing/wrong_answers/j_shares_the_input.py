"""Both models run on the memory of the input that was handed in."""

_on_a_copy = _step


def _step(make, x, seed):
    model = make()
    mine = x.detach().requires_grad_(x.requires_grad)
    torch.manual_seed(seed)
    y = model(mine)
    y.sum().backward()
    return {
        "output": y.detach(),
        "input": mine.grad,
        "parameters": [(name, parameter.grad) for name, parameter in model.named_parameters()],
        "buffers": list(model.named_buffers()),
        "random state": torch.get_rng_state(),
    }
