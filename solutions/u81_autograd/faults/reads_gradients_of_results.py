"""Reads .grad of weights that are no leaves.

check = "8.1.j/guard_looks_quietly"
stage = "torch"
says = ".grad was read of a weight that is no leaf, of which PyTorch warns: nothing is ever stored there."
"""

_quiet_update_guard = update_guard


def update_guard(step, weights, steps=3):
    def read(weights):
        step(weights)
        [weight.grad for weight in weights.values()]

    return _quiet_update_guard(read, weights, steps)
