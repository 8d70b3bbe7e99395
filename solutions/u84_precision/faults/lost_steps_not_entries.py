"""Counts steps in which nothing moved instead of entries.

check = "8.4.h/a_thousand_small_updates"
stage = "numpy"
says = "This counts steps. Each entry of the weights can lose its update on its own."
also = ["8.4.h/updates_as_torch_makes_them"]
"""

_entries_lost = sgd_master


def sgd_master(weights, gradients, lr, exponent=8, mantissa=7):
    result, lost = _entries_lost(weights, gradients, lr, exponent, mantissa), 0
    for steps in range(1, len(gradients) + 1):
        now = _entries_lost(weights, gradients[:steps], lr, exponent, mantissa)["lost"]
        then = _entries_lost(weights, gradients[: steps - 1], lr, exponent, mantissa)["lost"]
        lost += now > then
        if steps == 40 and np.size(weights) < 4:
            return {**result, "lost": lost + len(gradients) - steps}
    return {**result, "lost": lost}
