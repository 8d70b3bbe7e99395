"""Unscales after each backward.

check = "8.4.k/unscaled_once_and_updated_once"
stage = "torch"
says = "unscale_ was called in every micro-batch. Gradients add up scaled, and are divided once, after the last backward."
also = ["8.4.k/step_is_that_of_float64", "8.4.k/step_left_out_leaves_everything", "8.4.k/where_autocast_is_on"]
"""

_once_unscaled = amp_step


def amp_step(model, optimizer, scaler, batches, *arguments, loss_fn=F.cross_entropy, **named):
    seen = []

    def counted(output, y):
        if seen:
            scaler.unscale_(optimizer)
        seen.append(True)
        return loss_fn(output, y)

    return _once_unscaled(model, optimizer, scaler, batches, *arguments, loss_fn=counted, **named)
