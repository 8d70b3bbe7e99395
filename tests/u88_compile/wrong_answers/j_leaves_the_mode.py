"""Leaves the model in evaluation mode."""

def compare(model, batch, backend="aot_eager", rtol=1e-5, seed=0, _right=compare):
    found = _right(model, batch, backend, rtol, seed)
    model.eval()
    return found
