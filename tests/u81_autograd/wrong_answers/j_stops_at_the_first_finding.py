"""Stops after the first step that leaves a graph."""

_original = update_guard


def update_guard(step, weights, steps=3):
    _original(lambda weights: None, weights, 1)
    if steps < 1:
        raise ValueError(steps)
    depths, grads = [], []
    for _ in range(steps):
        result = _original(step, weights, 1)
        depths += result["depths"]
        grads += result["grad_depths"]
        if result["verdict"] != "ok":
            return {**result, "depths": depths, "grad_depths": grads}
    return {"depths": depths, "grad_depths": grads, "verdict": "ok"}
