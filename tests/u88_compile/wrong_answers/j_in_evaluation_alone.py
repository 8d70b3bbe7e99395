"""Compares in evaluation mode alone."""

def compare(model, batch, backend="aot_eager", rtol=1e-5, seed=0, _right=compare):
    failed = [p for p in _right(model, batch, backend, rtol, seed)["failed"] if "eval" in p]
    return {"agree": not failed, "failed": failed}
