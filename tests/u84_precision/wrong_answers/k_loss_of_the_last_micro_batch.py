"""Reports the loss of the last micro-batch."""

_true = amp_step


def amp_step(model, optimizer, scaler, batches, *arguments, loss_fn=F.cross_entropy, **named):
    seen = []

    def noted(output, y):
        seen.append(loss_fn(output, y))
        return seen[-1]

    found = _true(model, optimizer, scaler, batches, *arguments, loss_fn=noted, **named)
    return {**found, "loss": seen[-1].detach().float()}
