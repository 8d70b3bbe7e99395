"""Names the failed parts in alphabetical order."""

_in_order = verify_optimization


def verify_optimization(base, new, samples, controls, *, steps=4, rtol=1e-4, seed=0):
    r = _in_order(base, new, samples, controls, steps=steps, rtol=rtol, seed=seed)
    return {**r, "failed": sorted(r["failed"])}
