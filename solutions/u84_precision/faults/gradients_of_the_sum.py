"""Adds the losses of the micro-batches up.

check = "8.4.k/step_is_that_of_float64"
stage = "torch"
says = "The step is as many times too long as there are micro-batches. Divide each loss by their number before its backward."
"""

_mean_of_losses = amp_step


def amp_step(model, optimizer, scaler, batches, *arguments, loss_fn=F.cross_entropy, **named):
    count = len(batches)
    summed = lambda output, y: loss_fn(output, y) * count
    result = _mean_of_losses(model, optimizer, scaler, batches, *arguments, loss_fn=summed, **named)
    return {**result, "loss": result["loss"] / max(count, 1)}
