"""Looks for detached weights before it looks for stored graphs."""

_original = update_guard


def update_guard(step, weights, steps=3):
    names = [name for name, weight in weights.items() if weight.requires_grad]
    result = _original(step, weights, steps)
    lost = not all(weights[name].requires_grad for name in names)
    if lost and result["verdict"] != "history":
        return {**result, "verdict": "detached"}
    return result
