"""Makes a gradient of zeros where there is none, and counts a tied one twice.

check = "8.5.l/frozen_and_tied_parameters"
stage = "torch"
says = "A tied parameter was counted under each of its names, so that the norm is too large. It is one parameter."
"""


def guarded_step(model, optimizer, loss, max_norm=1.0):
    if not max_norm > 0:
        raise ValueError(f"max_norm is {max_norm}, must be positive")
    for parameter in model.parameters():
        parameter.grad = None
    loss.backward()
    gradients = {
        name: parameter.grad
        for name, parameter in model.named_parameters(remove_duplicate=False)
        if parameter.grad is not None
    }
    bad = {name: count for name, count in nonfinite_counts(gradients).items() if count}
    squares = [gradient.double().square().sum() for gradient in gradients.values()]
    norm = float(torch.stack(squares).sum().sqrt()) if squares else 0.0
    value = float(loss.detach())
    stepped = not bad and abs(value) < torch.inf
    if stepped:
        if norm > max_norm:
            for gradient in gradients.values():
                gradient.copy_(gradient.double() * (max_norm / norm))
        optimizer.step()
    for parameter in model.parameters():
        parameter.grad = None
    return {"stepped": stepped, "loss": value, "norm": norm, "bad": bad}
