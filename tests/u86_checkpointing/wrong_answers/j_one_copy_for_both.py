"""Both models run on one copy of the input, in the same memory."""

_differences_of = step_differences


def step_differences(make_plain, make_other, x, seed=0):
    return _differences_of(make_plain, make_other, x, seed)


def _step(make, x, seed, copies={}):
    model = make()
    if id(x) not in copies:
        copies.clear()
        copies[id(x)] = x.detach().clone()
    mine = copies[id(x)].detach().requires_grad_(x.requires_grad)
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
