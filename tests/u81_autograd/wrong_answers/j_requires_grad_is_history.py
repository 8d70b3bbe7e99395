"""Judges by is_leaf alone, without looking at gradients."""

_original = update_guard


def update_guard(step, weights, steps=3):
    result = _original(step, weights, steps)
    verdict = "history" if any(result["depths"]) else "ok"
    return {**result, "grad_depths": [0] * len(result["depths"]), "verdict": verdict}
