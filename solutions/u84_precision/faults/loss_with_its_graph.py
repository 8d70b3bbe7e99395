"""Returns the loss with its graph.

check = "8.4.k/where_autocast_is_on"
stage = "torch"
says = "The loss that is returned still holds its graph, and all activations with it. Detach it."
"""

_detached_step = amp_step


def amp_step(model, *arguments, **named):
    result = _detached_step(model, *arguments, **named)
    return {**result, "loss": result["loss"] + 0.0 * next(model.parameters()).sum()}
