"""Stops at the first node whose gradients came in bad."""


def detectors(trace, nodes, allow=()):
    anomaly = node = False
    for step in nodes:
        given = [g for g in step["incoming"] if g is not None]
        out = [g for g in step["outgoing"] if g is not None]
        anomaly = anomaly or any(np.any(np.isnan(g)) for g in out)
        if not all(np.all(np.isfinite(g)) for g in given):
            break
        node = node or not all(np.all(np.isfinite(g)) for g in out)
    forward = first_invalid(trace, allow) is not None
    return {"forward": forward, "anomaly": bool(anomaly), "node": bool(node)}
