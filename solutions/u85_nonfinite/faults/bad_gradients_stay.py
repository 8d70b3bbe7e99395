"""Drops no gradients that were there before.

check = "8.5.l/next_step_starts_clean"
stage = "torch"
says = "Gradients that lay about were added to those of this step. Drop them before the backward."
# the same result is looked at there
also = [
  "8.5.l/frozen_and_tied_parameters",
]
"""


def guarded_step(model, optimizer, loss, max_norm=1.0):
    if not max_norm > 0:
        raise ValueError(f"max_norm is {max_norm}, must be positive")
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
    stepped = not bad and abs(value) < torch.inf
    if stepped:
        if norm > max_norm:
            for gradient in gradients.values():
                gradient.copy_(gradient.double() * (max_norm / norm))
        optimizer.step()
    for parameter in model.parameters():
        parameter.grad = None
    return {"stepped": stepped, "loss": value, "norm": norm, "bad": bad}
