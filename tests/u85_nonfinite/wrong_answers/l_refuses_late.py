"""Runs the backward before it looks at max_norm."""

_refuses_first = guarded_step


def guarded_step(model, optimizer, loss, max_norm=1.0):
    if not max_norm > 0:
        for parameter in model.parameters():
            parameter.grad = None
        loss.backward()
    return _refuses_first(model, optimizer, loss, max_norm)
