"""Runs no learning control.

check = "8.9.o/learning_controls_decide"
stage = "torch"
says = "No control was run. A trainer that learns nothing, or knows the answers from somewhere else, can be fast and agree on one batch."
# another check looks at the same part
also = ["8.9.o/nothing_agrees_by_accident"]
"""

_controlled = verify_optimization


def verify_optimization(base, new, samples, controls, *, steps=4, rtol=1e-4, seed=0):
    return _controlled(base, new, samples, [], steps=steps, rtol=rtol, seed=seed)
