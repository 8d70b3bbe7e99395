"""Clips and steps whatever the norm is.

check = "8.5.l/one_bad_entry_spoils_nothing"
stage = "torch"
says = "One bad entry made the norm bad, and clipping by it made everything NaN. Skip the step instead."
also = ["8.5.l/next_step_starts_clean", "8.5.l/frozen_and_tied_parameters"]
source = "facebookresearch/habitat-lab#2226, pytorch/pytorch#46849"
"""


def guarded_step(model, optimizer, loss, max_norm=1.0):
    if not max_norm > 0:
        raise ValueError(f"max_norm is {max_norm}, must be positive")
    for parameter in model.parameters():
        parameter.grad = None
    loss.backward()
    gradients = {
        name: parameter.grad
        for name, parameter in model.named_parameters()
        if parameter.grad is not None
    }
    bad = {name: count for name, count in nonfinite_counts(gradients).items() if count}
    squares = [gradient.double().square().sum() for gradient in gradients.values()]
    norm = float(torch.stack(squares).sum().sqrt()) if squares else 0.0
    value = float(loss.detach())
    stepped = abs(value) < torch.inf
    if stepped:
        if not norm <= max_norm:
            for gradient in gradients.values():
                gradient.copy_(gradient.double() * (max_norm / norm))
        optimizer.step()
    for parameter in model.parameters():
        parameter.grad = None
    return {"stepped": stepped, "loss": value, "norm": norm, "bad": bad}
