"""Walks the graphs by itself, and returns tuples."""

def update_guard(step, weights, steps=3):
    names = [n for n in weights if weights[n].requires_grad]
    if not names or steps < 1:
        raise ValueError("nothing to guard")
    rows = []
    while len(rows) < steps:
        step(weights)
        now = [weights[n] for n in names]
        stored = [w.grad for w in now if w.grad_fn is None and w.grad is not None]
        rows.append((graph_nodes(now)["depth"], graph_nodes(stored)["depth"]))
        if not all(w.requires_grad for w in now):
            break
    depths, grads = zip(*rows, strict=True)
    verdict = (
        "history" if max(depths) else
        "stored_graph" if max(grads) else
        "ok" if all(weights[n].requires_grad for n in names) else "detached"
    )
    return {"verdict": verdict, "depths": depths, "grad_depths": grads}
